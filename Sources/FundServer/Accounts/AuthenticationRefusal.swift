/// Why authentication fails. Errors of the store are thrown as they are.
package enum AuthenticationRefusal: Error, Sendable, Hashable {
    /// Unknown name, wrong password or token, or disabled user; which of them is not told. 401.
    case wrongCredentials
    /// The token is known and has expired. 401.
    case expired
    /// Too many failures; credentials are not checked until this time has passed. 429 with `Retry-After`.
    case tooManyFailures(retryAfterSeconds: Int64)
    /// More logins than passwords can be hashed at a time. 503 with `Retry-After`.
    case busy(retryAfterSeconds: Int64)
}
