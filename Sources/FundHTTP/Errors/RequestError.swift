package import HTTPTypes

/// The failure of a request. Each interface writes it in its own form.
package struct RequestError: Error, Sendable {
    package var status: HTTPResponse.Status
    /// Stable word for programs: `not-found`, `conflict` …
    package var code: String
    /// One sentence for people, without a full stop. It holds no secret and no message of the system.
    package var detail: String
    package var headers: HTTPFields = [:]
    /// The cause for the log; it is not sent.
    package var cause: String?
    /// Tells failures with the same code apart: `code` of problem details, and a key of the pages' words.
    package var reason: String?
    /// A key of the pages' words for a mistake in what a person typed or chose.
    package var problem: String?
    /// The value in those words; hostile.
    package var problemValue: String?
    /// Address of a registered problem type (RFC 9457 §4.2); nil for one of our own.
    package var type: String?
    /// Further members of problem details.
    package var numbers: [String: Int64] = [:]
    /// Number of the requested acts that were done before one failed.
    package var doneCount = 0

    package init(_ status: HTTPResponse.Status, _ code: String, _ detail: String, headers: HTTPFields = [:]) {
        self.status = status
        self.code = code
        self.detail = detail
        self.headers = headers
    }

    /// Maps any error. One that is not `RequestErrorConvertible` becomes 500.
    package init(_ error: any Error) {
        self = (error as? any RequestErrorConvertible)?.requestError ?? .internalError
        if !(error is any RequestErrorConvertible) { cause = "\(error)" }
    }

    /// `detail` with a capital and a full stop.
    package var sentence: String { detail.prefix(1).uppercased() + detail.dropFirst() + "." }

    /// This error, with the number of things that were done before it.
    package func after(_ count: Int) -> RequestError {
        var error = self
        error.doneCount = count
        return error
    }

    package static let notFound = RequestError(.notFound, "not-found", "there is no such thing")
    package static let unauthenticated = RequestError(
        .unauthorized, "unauthenticated", "sign in first", headers: [.wwwAuthenticate: "Bearer"])
    package static let insecure = RequestError(
        .forbidden, "insecure", "sign in over https: anybody on the way could read the password")
    package static let tooLarge = RequestError(.contentTooLarge, "too-large", "the body is too large")
    package static let busy = unavailable("busy", "too much is asked at this moment; try again", retryAfter: 2)
    package static let preconditionFailed = RequestError(
        .preconditionFailed, "precondition-failed", "it is not what it was")
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

/// An error that says how a request fails because of it. Types conform where they stand, those of libraries in
/// `RequestError+libraries.swift`.
package protocol RequestErrorConvertible: Error {
    /// The failure of the request: status, code and text for the client, cause for the log.
    var requestError: RequestError { get }
}

extension RequestError: RequestErrorConvertible {
    package var requestError: RequestError { self }
}

extension HTTPResponse.Status {
    /// RFC 4918 §11.5.
    package static let insufficientStorage = HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage")
}
