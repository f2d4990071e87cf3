internal import HTTPTypes

/// Why authentication fails. Errors of the store are thrown as they are.
package enum AuthenticationError: Error, Sendable, Hashable {
    /// Unknown name, wrong password or token, or disabled user; which of them is not told. 401.
    case wrongCredentials
    /// The token is known and has expired. 401.
    case expired
    /// Too many failures; credentials are not checked until this time has passed. 429 with `Retry-After`.
    case tooManyFailures(retryAfterSeconds: Int64)
    /// More logins than passwords can be hashed at a time. 503 with `Retry-After`.
    case busy(retryAfterSeconds: Int64)
}

extension AuthenticationError: RequestErrorConvertible {
    package var requestError: RequestError {
        switch self {
        case .wrongCredentials: return .unauthenticated
        case .expired:
            var error = RequestError.unauthenticated
            (error.code, error.detail) = ("token-expired", "the token is no longer good; sign in again")
            return error
        case .tooManyFailures(let seconds):
            return RequestError(
                .tooManyRequests, "too-many-failures", "too many logins failed; try again later",
                headers: [.retryAfter: "\(seconds)"])
        case .busy(let seconds):
            return .unavailable("busy", "too many people sign in at this moment; try again", retryAfter: seconds)
        }
    }
}
