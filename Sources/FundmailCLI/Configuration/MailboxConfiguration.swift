import Ingest

/// One account and folder that is polled.
struct MailboxConfiguration: Sendable, Hashable {
    /// Names it in commands, reports and rows.
    var name: String
    var server: MailboxServer
    var credential: Credential
    /// A private certificate authority, PEM.
    var caFile: String?
    /// False only for `tls: off` on loopback.
    var usesTLS = true
    var after = AfterFiling.keep
    /// For mail that was kept but not filed; as `after` unless given.
    var afterMisrouted = AfterFiling.keep
    var intervalSeconds = 60
    var usesIdle = true
    var trust: TrustPolicy
}

/// `url` of a mailbox, taken apart.
struct MailboxServer: Sendable, Hashable {
    enum Scheme: String, Sendable, CaseIterable {
        case imaps, imap, pop3s, pop3

        var isIMAP: Bool { self == .imaps || self == .imap }

        /// RFC 8314 §3, RFC 3501 §2.1, RFC 1939 §3.
        var defaultPort: Int {
            switch self {
            case .imaps: 993
            case .imap: 143
            case .pop3s: 995
            case .pop3: 110
            }
        }
    }

    var scheme: Scheme
    var user: String
    /// Without the brackets of an IPv6 address.
    var host: String
    var port: Int
    /// IMAP only; `INBOX` unless given.
    var folder: String?

    var isLoopback: Bool { host.lowercased() == "localhost" || host == "::1" || host.hasPrefix("127.") }
}

/// How to log in. The secret itself is read when it is needed, and never shown.
enum Credential: Sendable, Hashable, CustomStringConvertible {
    case password(Secret)
    case passwordFile(String)
    case passwordEnvironment(String)
    /// RFC 7628: a command that prints an access token; run by `/bin/sh -c`.
    case oauth2(tokenCommand: String)

    var description: String {
        switch self {
        case .password: "a password in the configuration file"
        case .passwordFile(let path): "the password in \(path)"
        case .passwordEnvironment(let name): "the password in the environment variable \(name)"
        case .oauth2: "an OAuth 2.0 token"
        }
    }
}

/// A text that must not get into logs, errors or dumps.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let value: String

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What happens to a message on the server once its row is durable.
enum AfterFiling: Sendable, Hashable {
    case delete
    case move(folder: String)
    case flag
    case keep
}
