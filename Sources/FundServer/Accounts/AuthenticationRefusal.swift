/// Why somebody may not come in. `StoreFailure` is thrown beside it when the store cannot say.
package enum AuthenticationRefusal: Error, Sendable, Hashable {
    /// An unknown name, a wrong password or token, a disabled user: nobody can tell which. 401.
    case wrongCredentials
    /// The token was right, but its time is over. 401.
    case expired
    /// Too many failures in a row; until then nothing is looked at. 429 with `Retry-After`.
    case tooManyFailures(retryAfterSeconds: Int64)
    /// More logins at a time than passwords can be hashed. 503 with `Retry-After`.
    case busy(retryAfterSeconds: Int64)
}
