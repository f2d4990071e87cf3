internal import FundCore
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Why a request fails. Each interface writes it in its own form.
struct RequestError: Error, Sendable {
    var status: HTTPResponse.Status
    /// Stable word for programs: `not-found`, `conflict` …
    var code: String
    /// One sentence for people, without a full stop. It holds no secret and no message of the system.
    var detail: String
    var headers: HTTPFields = [:]
    /// The cause for the log; it is not sent.
    var cause: String?
    /// Tells failures with the same code apart: `code` of problem details, and a key of the pages' words.
    var reason: String?
    /// What a person typed or chose wrongly, for the pages' words.
    var problem: InputProblem.Kind?
    /// Of a registered problem (RFC 9457 §4.2), an address; nil for one of our own.
    var type: String?
    /// Further members of problem details.
    var numbers: [String: Int64] = [:]
    /// How many of the things that were asked for were done before one failed.
    var doneCount = 0

    init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    /// Maps any error. One that is not `RequestErrorConvertible` becomes 500.
    init(_ error: any Error) {
        self = (error as? any RequestErrorConvertible)?.requestError ?? .internalError
        if !(error is any RequestErrorConvertible) { cause = "\(error)" }
    }

    /// `detail` with a capital and a full stop.
    var sentence: String { detail.prefix(1).uppercased() + detail.dropFirst() + "." }

    /// This error, with the number of things that were done before it.
    func after(_ count: Int) -> RequestError {
        var error = self
        error.doneCount = count
        return error
    }

    static let notFound = RequestError(.notFound, "not-found", "there is no such thing")
    static let unauthenticated = RequestError(
        .unauthorized, "unauthenticated", "sign in first", headers: [.wwwAuthenticate: "Bearer"])
    /// For a login. It is the same for an unknown user.
    static let wrongCredentials = RequestError(
        .unauthorized, "wrong-credentials", "invalid username or password", headers: [.wwwAuthenticate: "Bearer"])
    static let insecure = RequestError(
        .forbidden, "insecure", "sign in over https: anybody on the way could read the password")
    static let forbidden = RequestError(.forbidden, "forbidden", "this is for administrators")
    static let tooLarge = RequestError(.contentTooLarge, "too-large", "the body is too large")
    /// The code for a file that is held until it is scanned.
    static let unscanned = "unscanned"
    static let busy = unavailable("busy", "too much is asked at this moment; try again", retryAfter: 2)
    static let preconditionFailed = RequestError(.preconditionFailed, "precondition-failed", "it is not what it was")
    static let outdated = RequestError(
        .gone, "outdated", "the cursor is not of this server's history; read everything anew, without a cursor")
    static let internalError = RequestError(.internalServerError, "internal", "something went wrong here; it was noted")

    /// 400.
    /// - Parameter detail: see `detail`.
    static func invalid(_ detail: String) -> RequestError { RequestError(.badRequest, "invalid", detail) }

    /// 503.
    /// - Parameter seconds: for `Retry-After`.
    static func unavailable(_ code: String, _ detail: String, retryAfter seconds: Int64) -> RequestError {
        RequestError(.serviceUnavailable, code, detail, headers: [.retryAfter: "\(seconds)"])
    }

    /// 405.
    /// - Parameter allow: the methods of the resource.
    static func methodNotAllowed(allow: [String]) -> RequestError {
        RequestError(
            .methodNotAllowed, "method-not-allowed", "this cannot be done here",
            headers: [.allow: allow.joined(separator: ", ")])
    }
}

/// An error that says how a request fails because of it. Types of this target conform where they stand, others below.
protocol RequestErrorConvertible: Error {
    /// The failure of the request: status, code and text for the client, cause for the log.
    var requestError: RequestError { get }
}

extension RequestError: RequestErrorConvertible {
    var requestError: RequestError { self }
}

extension StoreError: RequestErrorConvertible {
    var requestError: RequestError {
        var error: RequestError =
            switch code {
            case .notFound: .notFound
            case .alreadyExists: RequestError(.conflict, "already-exists", detail)
            case .invalid: .invalid(detail)
            case .conflict, .alreadyResolved: RequestError(.conflict, "conflict", detail)
            case .preconditionFailed: .preconditionFailed
            case .outdated: .outdated
            case .quarantined: RequestError(.forbidden, "quarantined", detail)
            case .unscanned: .unavailable(RequestError.unscanned, detail, retryAfter: 10)
            case .tooMany: RequestError(.tooManyRequests, "too-many", detail)
            case .outOfSpace: RequestError(.insufficientStorage, "out-of-space", "there is no room left")
            case .logLost:
                .unavailable(
                    "log-lost", "the disk with what is stored here is away; an administrator has to look",
                    retryAfter: 30)
            case .held, .stale: .unavailable("busy", "the store is busy; try again", retryAfter: 2)
            case .tookTooLong:
                .unavailable("took-too-long", "the search took too long; ask for longer or rarer words", retryAfter: 5)
            default: .internalError
            }
        error.cause = "\(self)"
        error.problem = problem
        return error
    }
}

extension CancellationError: RequestErrorConvertible {
    var requestError: RequestError { .unavailable("stopping", "the server is being stopped", retryAfter: 5) }
}

extension NIOTooManyBytesError: RequestErrorConvertible {
    var requestError: RequestError { .tooLarge }
}

extension HTTPError: RequestErrorConvertible {
    var requestError: RequestError {
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
    static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}

/// Errors as `application/problem+json` (RFC 9457).
enum ProblemDetails {
    static let contentType = "application/problem+json"

    static func response(to failure: RequestError, requestID: String) -> Response {
        var json = JSONWriter()
        json.object { object in
            object.field("type", failure.type ?? "urn:fundmail:problem:\(failure.code)")
            object.field("title", failure.status.reasonPhrase)
            object.field("status", failure.status.code)
            object.field("detail", failure.detail)
            object.field("instance", "urn:fundmail:request:\(requestID)")
            if let reason = failure.reason { object.field("code", reason) }
            for (name, number) in failure.numbers.sorted(by: { $0.key < $1.key }) {
                object.key(name)
                object.value(number)
            }
        }
        return Response(failure.status, contentType, ByteBuffer(bytes: json.bytes), headers: failure.headers)
    }
}

extension Response {
    /// With a body of this type, not to be stored.
    init(_ status: HTTPResponse.Status, _ contentType: String, _ body: ByteBuffer, headers: HTTPFields = [:]) {
        var headers = headers
        headers[.contentType] = contentType
        headers[.cacheControl] = "no-store"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: body))
    }
}
