import DriveBridge
import FundCore

/// Looks at what signing in on the pages of stores needs, as the configuration says. Asks no store.
enum SignInCheck {
    struct Problem: Sendable, Hashable {
        /// In English, without a full stop. Names no secret.
        var text: String
        /// Whether people cannot sign in at all.
        var isFailure: Bool
    }

    /// - Parameter fileIsReadable: whether this process may read a file.
    static func problems(of rules: DriveRules, fileIsReadable: (String) -> Bool) -> [Problem] {
        let clients = rules.clients.sorted { $0.key.rawValue < $1.key.rawValue }
        var problems: [Problem] = []
        for (kind, client) in clients {
            guard let file = client.secretFile, !fileIsReadable(file) else { continue }
            let key = "\(kind.rawValue): client_secret_file"
            let text = "\(key) \(file) cannot be read: people cannot sign in to \(kind.title)"
            problems.append(Problem(text: text, isFailure: true))
        }
        if !clients.isEmpty, let address = rules.signInAddress, !isSafe(address) {
            let names = clients.map(\.key.title).joined(separator: ", ")
            let text = """
                server: public_url is no https address: \(names) lead people back to https addresses alone, and a \
                code that comes by http can be read on its way
                """
            problems.append(Problem(text: text, isFailure: false))
        }
        return problems
    }

    /// Stores take addresses of this machine without TLS, for programs that are tried (RFC 8252 §8.3).
    private static func isSafe(_ address: String) -> Bool {
        let plain = "http://"
        guard address.lowercased().hasPrefix(plain) else { return true }
        let authority = address.dropFirst(plain.count)
        let host =
            authority.hasPrefix("[")
            ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { !"/:".contains($0) }
        return IPAddress.isLoopback(host: host)
    }
}
