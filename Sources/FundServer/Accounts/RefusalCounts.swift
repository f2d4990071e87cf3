internal import Synchronization

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
