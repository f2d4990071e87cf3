import FundCore
import MailFetch

/// One account and folder that is polled.
struct MailboxConfiguration: Sendable, Hashable {
    /// Names it in commands, reports and rows.
    var name: String
    var server: MailServerAddress
    var credential: CredentialSource
    /// A private certificate authority, PEM.
    var caFile: String?
    /// False only for `tls: off` on loopback.
    var usesTLS = true
    var after = AfterFiling.keep
    /// For mail that was kept but not filed; as `after` unless given.
    var afterMisrouted = AfterFiling.keep
    var intervalSeconds = 60
    /// What one run of `poll` may take here.
    var runLimitSeconds = 1800
    var usesIdle = true
    var trust: TrustPolicy
}

/// Where the secret for a login is. It is read when it is needed, and never shown.
enum CredentialSource: Sendable, Hashable, CustomStringConvertible {
    case password(Secret)
    case passwordFile(String)
    case passwordEnvironment(String)
    /// An access token (RFC 6749 §1.4), sent by OAUTHBEARER or XOAUTH2.
    case oauth2(TokenSource)

    var description: String {
        switch self {
        case .password: "a password in the configuration file"
        case .passwordFile(let path): "the password in \(path)"
        case .passwordEnvironment(let name): "the password in the environment variable \(name)"
        case .oauth2: "an OAuth 2.0 token"
        }
    }
}

enum TokenSource: Sendable, Hashable {
    /// Prints a token; run by `/bin/sh -c`. `passing`: names of environment variables that it needs.
    case command(String, passing: [String] = [])
    /// Another program keeps a fresh token in this file.
    case file(String)
    case environment(String)
}

/// A text that must not get into logs, errors or dumps.
struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    let value: String

    var description: String { "(secret)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// What becomes of a message on the server once its row is durable.
enum AfterFiling: Sendable, Hashable {
    case delete
    case move(folder: String)
    case flag
    case keep
}
