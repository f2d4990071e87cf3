internal import FundCore
package import FundHTTP
internal import HTTPTypes

/// Refusals of this server beside those of every HTTP server.
extension RequestError {
    /// A failed login; an unknown user gets the same.
    static let wrongCredentials = RequestError(
        .unauthorized, "wrong-credentials", "invalid username or password", headers: [.wwwAuthenticate: "Bearer"])
    static let forbidden = RequestError(.forbidden, "forbidden", "this is for administrators")
    /// The code for a file that is held until it is scanned.
    static let unscanned = "unscanned"
    static let outdated = RequestError(
        .gone, "outdated", "the cursor is not of this server's history; read everything anew, without a cursor")
}

extension AddressListError: RequestErrorConvertible {
    package var requestError: RequestError {
        var error = RequestError.invalid("\(self)")
        (error.problem, error.problemValue) = (problem.rawValue, part)
        return error
    }
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
            case .quarantined: RequestError(.forbidden, "quarantined", detail)
            case .unscanned: .unavailable(RequestError.unscanned, detail, retryAfter: 10)
            case .tooMany: RequestError(.tooManyRequests, "too-many", detail)
            case .outOfSpace: RequestError(.insufficientStorage, "out-of-space", "there is no room left")
            case .overQuota: RequestError(.insufficientStorage, "over-quota", "there is no room left for these files")
            case .logLost:
                .unavailable(
                    "log-lost", "the disk with what is stored here is away; an administrator has to look",
                    retryAfter: 30)
            case .unreachable:
                .unavailable(
                    "unreachable", "the server with what is stored cannot be reached now; try again", retryAfter: 10)
            case .uncertain:
                // No 503, which programs take for leave to send the same again.
                RequestError(
                    .internalServerError, "uncertain",
                    "the line to the database was cut: whether this was kept is not known; look before it is repeated")
            case .held, .stale: .unavailable("busy", "the store is busy; try again", retryAfter: 2)
            case .tookTooLong:
                .unavailable("took-too-long", "the search took too long; ask for longer or rarer words", retryAfter: 5)
            default: .internalError
            }
        error.cause = "\(self)"
        error.problem = problem?.rawValue
        return error
    }
}
