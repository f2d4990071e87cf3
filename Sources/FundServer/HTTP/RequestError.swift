package import FundCore
package import HTTPTypes
package import Hummingbird
package import NIOCore

/// Why a request fails. Each interface writes it in its own form.
package struct RequestError: Error, Sendable {
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

    /// Maps any error. One that is not `RequestErrorConvertible` becomes 500.
    package init(_ error: any Error) {
        switch error {
        case let error as any RequestErrorConvertible: self = error.requestError
        default:
            self = .internalError
            cause = "\(error)"
        }
    }

    package static let notFound = RequestError(.notFound, "not-found", "there is no such thing")
    package static let unauthenticated = RequestError(
        .unauthorized, "unauthenticated", "sign in first", headers: [.wwwAuthenticate: "Bearer"])
    /// For a login. It is the same for an unknown user.
    package static let wrongCredentials = RequestError(
        .unauthorized, "wrong-credentials", "invalid username or password", headers: [.wwwAuthenticate: "Bearer"])
    package static let insecure = RequestError(
        .forbidden, "insecure", "sign in over https: anybody on the way could read the password")
    package static let forbidden = RequestError(.forbidden, "forbidden", "this is for administrators")
    package static let tooLarge = RequestError(.contentTooLarge, "too-large", "the body is too large")
    package static let busy = unavailable("busy", "too much is asked at this moment; try again", retryAfter: 2)
    package static let preconditionFailed = RequestError(
        .preconditionFailed, "precondition-failed", "it is not what it was")
    package static let outdated = RequestError(
        .gone, "outdated", "the cursor is not of this server's history; read everything anew, without a cursor")
    package static let internalError = RequestError(
        .internalServerError, "internal", "something went wrong here; it was noted")

    /// 400.
    /// - Parameter detail: see `detail`.
    package static func invalid(_ detail: String) -> RequestError { RequestError(.badRequest, "invalid", detail) }

    /// 503.
    /// - Parameter seconds: for `Retry-After`.
    package static func unavailable(_ code: String, _ detail: String, retryAfter seconds: Int64) -> RequestError {
        RequestError(.serviceUnavailable, code, detail, headers: [.retryAfter: "\(seconds)"])
    }

    /// 405.
    /// - Parameter allow: the methods of the resource.
    package static func methodNotAllowed(allow: [String]) -> RequestError {
        RequestError(
            .methodNotAllowed, "method-not-allowed", "this cannot be done here",
            headers: [.allow: allow.joined(separator: ", ")])
    }
}

/// An error that says how a request fails because of it. Types of this target conform where they stand; other errors
/// below.
package protocol RequestErrorConvertible: Error {
    /// The failure of the request: status, code and text for the client, cause for the log.
    var requestError: RequestError { get }
}

extension RequestError: RequestErrorConvertible {
    package var requestError: RequestError { self }
}

extension StoreError: RequestErrorConvertible {
    package var requestError: RequestError {
        var error: RequestError =
            switch code {
            case .notFound: .notFound
            case .alreadyExists: RequestError(.conflict, "already-exists", detail)
            case .invalid: .invalid(detail)
            case .conflict, .alreadyResolved: RequestError(.conflict, "conflict", detail)
            case .preconditionFailed: .preconditionFailed
            case .outdated: .outdated
            case .outOfSpace: RequestError(.insufficientStorage, "out-of-space", "there is no room left")
            case .held, .stale: .unavailable("busy", "the store is busy; try again", retryAfter: 2)
            case .tookTooLong:
                .unavailable(
                    "took-too-long", "the search took too long; ask for longer or rarer words", retryAfter: 5)
            default: .internalError
            }
        error.cause = "\(self)"
        return error
    }
}

extension CancellationError: RequestErrorConvertible {
    package var requestError: RequestError {
        .unavailable("stopping", "the server is being stopped", retryAfter: 5)
    }
}

extension NIOTooManyBytesError: RequestErrorConvertible {
    package var requestError: RequestError { .tooLarge }
}

extension HTTPError: RequestErrorConvertible {
    package var requestError: RequestError {
        switch status.code {
        case 400: .invalid(body ?? "the request makes no sense")
        case 404: .notFound
        case 413: .tooLarge
        default: RequestError(status, "http", body ?? status.reasonPhrase, headers: headers)
        }
    }
}

extension HTTPResponse.Status {
    /// RFC 4918 §11.5.
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
