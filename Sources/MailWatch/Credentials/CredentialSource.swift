package import MailConnection
internal import Glibc
package import FundCore

/// Where the secret for a login is. It is read when it is needed, and never shown.
package enum CredentialSource: Sendable, Hashable {
    case password(Secret)
    case passwordFile(String)
    case passwordEnvironment(String)
    /// An access token (RFC 6749 §1.4), sent by OAUTHBEARER or XOAUTH2.
    case oauth2(TokenSource)
}

/// Where an access token is. Tokens expire, so it is read for each login or when it is refused.
package enum TokenSource: Sendable, Hashable {
    /// Prints a token, or the JSON object of an authorisation server with one; run by `/bin/sh -c`. `passing`: names of
    /// environment variables that it gets.
    case command(String, passing: [String] = [])
    /// Another program keeps a valid token in this file.
    case file(String)
    case environment(String)
}

/// A text that logs, errors and dumps never show.
package struct Secret: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package let value: String

    package init(value: String) { self.value = value }

    package var description: String { "(secret)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension CredentialSource {
    /// Bytes of a file with a secret. Passwords and tokens are short: a longer file was named by mistake.
    package static let maxSecretBytes = 64 * 1024

    /// Reads the secret. A token is fetched at the login. Throws `CredentialError`.
    ///
    /// - Parameter onToken: hears of each token that a login is given, on the thread of the login.
    package func credentials(
        _ cancellation: Cancellation, onToken: @escaping @Sendable (SeenToken) -> Void = { _ in }
    ) throws(CredentialError) -> Credentials {
        switch self {
        case .password(let secret): return .password(secret.value)
        case .passwordFile(let path): return .password(try Self.secret(inFile: path, key: "password_file"))
        case .passwordEnvironment(let name): return .password(try Self.secret(inVariable: name, key: "password_env"))
        case .oauth2(.file(let path)):
            return Self.tokenLogin(isRenewed: false, onToken) { _ in
                AccessTokenText(kept: try Self.secret(inFile: path, key: "token_file"), at: .now)
            }
        case .oauth2(.environment(let name)):
            return Self.tokenLogin(isRenewed: false, onToken) { _ in
                AccessTokenText(kept: try Self.secret(inVariable: name, key: "token_env"), at: .now)
            }
        case .oauth2(.command(let command, let passing)):
            let command = TokenCommand(command: command, passing: passing, cancellation: cancellation)
            let token = AccessToken(fetch: { try command.run() })
            return Self.tokenLogin(isRenewed: true, onToken) { try token.value(isRefused: $0) }
        }
    }

    private static func tokenLogin(
        isRenewed: Bool, _ onToken: @escaping @Sendable (SeenToken) -> Void,
        _ fetch: @escaping @Sendable (_ isRefused: Bool) throws -> AccessTokenText
    ) -> Credentials {
        .oauth2 { isRefused in
            let token = try fetch(isRefused)
            onToken(token.seen(isRenewed: isRenewed))
            return token.token.value
        }
    }

    private static func secret(inFile path: String, key: String) throws(CredentialError) -> String {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path, maxBytes: maxSecretBytes) } catch {
            throw CredentialError(.configuration, "\(key) \(path) cannot be read: \(error.problem)")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CredentialError(.configuration, "\(key) \(path) is not text in UTF-8")
        }
        // Editors end the last line. Blanks stay: they may belong to a password, and `doctor` warns of them.
        if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        guard !text.isEmpty else { throw CredentialError(.configuration, "\(key) \(path) is empty") }
        return text
    }

    private static func secret(inVariable name: String, key: String) throws(CredentialError) -> String {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else {
            throw CredentialError(.configuration, "the environment variable \(name) (\(key)) is not set")
        }
        return value
    }
}

/// A password or token that cannot be read from where the configuration says it is. Holds nothing of the secret.
package struct CredentialError: OperationalError, Sendable, CustomStringConvertible {
    /// `configuration`: the named file or variable holds no usable secret. `unavailable`: the token command failed.
    package var condition: ErrorCondition
    /// The fault, as a clause: `password_file /x is empty`.
    package var description: String

    /// Only a person can put it right.
    package var isTemporary: Bool { false }

    package init(_ condition: ErrorCondition, _ description: String) {
        self.condition = condition
        self.description = description
    }

    /// - Parameter problem: what the command does: `prints nothing`.
    static func tokenCommand(_ problem: String) -> CredentialError {
        CredentialError(.unavailable, "its token_command \(problem)")
    }
}
