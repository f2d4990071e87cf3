internal import Synchronization

/// How often somebody could not prove who they are, since the process was started.
final class RefusalCounts: Sendable {
    enum Kind: String, CaseIterable {
        /// A wrong name or password, or a disabled user.
        case password
        /// Not looked at: too many failed before.
        case backOff = "back_off"
        /// Not looked at: too many passwords were being hashed.
        case busy
        /// Of the web API: unknown or revoked.
        case token
        case appPassword = "app_password"
        /// Of a mobile call, by no token of the user who is named.
        case sign
        /// A token or sign that was right once.
        case expired
    }

    private let counts = Mutex<[Kind: Int]>([:])

    /// Runs `body`; what is wrong with wrong credentials is `kind`.
    func counting<Value>(_ kind: Kind, _ body: () async throws -> Value) async throws -> Value {
        do {
            return try await body()
        } catch let refusal as AuthenticationRefusal {
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
