package import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore

/// Why a request fails. Each interface writes it in its own form.
package struct RequestFailure: Error, Sendable {
    package var status: HTTPResponse.Status
    /// Stable word for programs: `not-found`, `conflict` …
    package var code: String
    /// One sentence for people, without a full stop. It holds no secret and no message of the system.
    package var detail: String
    package var headers: HTTPFields = [:]
    /// The cause for the log; it is not sent.
    package var cause: String?

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    package static let notFound = RequestFailure(.notFound, "not-found", "there is no such thing")
    package static let unauthenticated = RequestFailure(
        .unauthorized, "unauthenticated", "sign in first", headers: [.wwwAuthenticate: "Bearer"])
    /// For a login. It is the same for an unknown user.
    package static let wrongCredentials = RequestFailure(
        .unauthorized, "wrong-credentials", "invalid username or password", headers: [.wwwAuthenticate: "Bearer"])
    package static let insecure = RequestFailure(
        .forbidden, "insecure", "sign in over https: anybody on the way could read the password")
    package static let forbidden = RequestFailure(.forbidden, "forbidden", "this is for administrators")
    package static let tooLarge = RequestFailure(.contentTooLarge, "too-large", "the body is too large")
    package static let busy = RequestFailure(
        .serviceUnavailable, "busy", "too much is asked at this moment; try again", headers: [.retryAfter: "2"])
    package static let preconditionFailed = RequestFailure(
        .preconditionFailed, "precondition-failed", "it is not what it was")
    package static let outdated = RequestFailure(
        .gone, "outdated", "the cursor is not of this server's history; read everything anew, without a cursor")
    package static let internalError = RequestFailure(
        .internalServerError, "internal", "something went wrong here; it was noted")

    package static func invalid(_ detail: String) -> RequestFailure { RequestFailure(.badRequest, "invalid", detail) }

    package static func methodNotAllowed(allow: [String]) -> RequestFailure {
        RequestFailure(
            .methodNotAllowed, "method-not-allowed", "this cannot be done here",
            headers: [.allow: allow.joined(separator: ", ")])
    }

    /// Maps any error. An error that is not `RequestErrorConvertible` becomes 500.
    package init(_ error: any Error) {
        switch error {
        case let failure as RequestFailure: self = failure
        case let failure as StoreError: self.init(store: failure)
        case let refusal as AuthenticationRefusal: self.init(refusal: refusal)
        case let failure as HTTPError: self.init(http: failure)
        case is NIOTooManyBytesError: self = .tooLarge
        case is CancellationError:
            self.init(.serviceUnavailable, "stopping", "the server is being stopped", headers: [.retryAfter: "5"])
        default:
            self = .internalError
            cause = "\(error)"
        }
    }

    private init(store failure: StoreError) {
        switch failure.code {
        case .notFound: self = .notFound
        case .alreadyExists: self.init(.conflict, "already-exists", failure.detail)
        case .invalid: self.init(.badRequest, "invalid", failure.detail)
        case .conflict, .alreadyResolved: self.init(.conflict, "conflict", failure.detail)
        case .preconditionFailed: self = .preconditionFailed
        case .outdated: self = .outdated
        case .outOfSpace: self.init(.insufficientStorage, "out-of-space", "there is no room left")
        case .held, .stale:
            self.init(.serviceUnavailable, "busy", "the store is busy; try again", headers: [.retryAfter: "2"])
        case .tookTooLong:
            self.init(
                .serviceUnavailable, "took-too-long", "the search took too long; ask for longer or rarer words",
                headers: [.retryAfter: "5"])
        default: self = .internalError
        }
        cause = "\(failure)"
    }

    private init(refusal: AuthenticationRefusal) {
        switch refusal {
        case .wrongCredentials: self = .unauthenticated
        case .expired:
            self = .unauthenticated
            (code, detail) = ("token-expired", "the token is no longer good; sign in again")
        case .tooManyFailures(let seconds):
            self.init(
                .tooManyRequests, "too-many-failures", "too many logins failed; try again later",
                headers: [.retryAfter: "\(seconds)"])
        case .busy(let seconds):
            self.init(
                .serviceUnavailable, "busy", "too many people sign in at this moment; try again",
                headers: [.retryAfter: "\(seconds)"])
        }
    }

    private init(http failure: HTTPError) {
        switch failure.status.code {
        case 400: self.init(.badRequest, "invalid", failure.body ?? "the request makes no sense")
        case 404: self = .notFound
        case 413: self = .tooLarge
        default:
            self.init(failure.status, "http", failure.body ?? failure.status.reasonPhrase, headers: failure.headers)
        }
    }
}

extension HTTPResponse.Status {
    /// RFC 4918 §11.5.
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
