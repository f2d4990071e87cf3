internal import FundHTTP
internal import HTTPTypes
internal import Synchronization

/// Why authentication fails. Errors of the store are thrown as they are.
enum AuthenticationError: Error, Sendable, Hashable {
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
    var requestError: RequestError {
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

/// Counts of failed authentication since the process was started.
final class RefusalCounts: Sendable {
    enum Kind: String, CaseIterable {
        /// A wrong name or password, or a disabled user.
        case password
        /// Not checked, because of the back-off.
        case backOff = "back_off"
        /// Not checked, because too many passwords were being hashed.
        case busy
        /// An unknown or revoked token of the web API.
        case token
        case appPassword = "app_password"
        /// The sign of a mobile call that no token of the named user made.
        case sign
        /// A token, or the sign of a token, that has expired.
        case expired
    }

    private let counts = Mutex<[Kind: Int]>([:])

    /// Runs `body` and counts the error that it throws; `wrongCredentials` counts as `kind`.
    func counting<Value>(_ kind: Kind, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as AuthenticationError {
            let kind: Kind =
                switch refusal {
                case .wrongCredentials: kind
                case .expired: .expired
                case .tooManyFailures: .backOff
                case .busy: .busy
                }
            counts.withLock { $0[kind, default: 0] += 1 }
            throw refusal
        }
    }

    var family: MetricFamily {
        let counts = counts.withLock { $0 }
        return MetricFamily(
            "fundmail_failed_logins_total", .counter, "Passwords, tokens and signs that were not taken, by why.",
            Kind.allCases.map { MetricFamily.Sample(Double(counts[$0] ?? 0), [("kind", $0.rawValue)]) })
    }
}
