import Glibc
import MailWatch
import MailFetch

extension CredentialSource {
    /// A password or token is short; what is longer was named by mistake.
    static let maxSecretBytes = 64 * 1024

    /// Reads the secret from where it is. A token is fetched later, when somebody logs in. Throws `CommandError`.
    func credentials(of mailbox: String, _ cancellation: Cancellation) throws -> Credentials {
        switch self {
        case .password(let secret): return .password(secret.value)
        case .passwordFile(let path): return .password(try Self.secret(inFile: path, key: "password_file", mailbox))
        case .passwordEnvironment(let name):
            return .password(try Self.secret(inVariable: name, key: "password_env", mailbox))
        case .oauth2(.file(let path)):
            return .oauth2 { _ in try Self.secret(inFile: path, key: "token_file", mailbox) }
        case .oauth2(.environment(let name)):
            return .oauth2 { _ in try Self.secret(inVariable: name, key: "token_env", mailbox) }
        case .oauth2(.command(let command, let passing)):
            let command = TokenCommand(
                command: command, passing: passing, mailbox: mailbox, cancellation: cancellation)
            let token = AccessToken { try command.run() }
            return .oauth2 { try token.value(isRefused: $0) }
        }
    }

    private static func secret(inFile path: String, key: String, _ mailbox: String) throws -> String {
        let bytes: [UInt8]
        do { bytes = try WholeFile.read(path, maxBytes: maxSecretBytes) } catch {
            throw CommandError(.configuration, "Mailbox \(mailbox): \(key) \(path) cannot be read: \(error.problem).")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw CommandError(.configuration, "Mailbox \(mailbox): \(key) \(path) is not text in UTF-8.")
        }
        // Editors end the last line. That one line end goes and nothing else: blanks may belong to a password, and `doctor` warns.
        if text.last == "\n" || text.last == "\r\n" { text.removeLast() }
        guard !text.isEmpty else {
            throw CommandError(.configuration, "Mailbox \(mailbox): \(key) \(path) is empty.")
        }
        return text
    }

    private static func secret(inVariable name: String, key: String, _ mailbox: String) throws -> String {
        guard let value = getenv(name).map({ String(cString: $0) }), !value.isEmpty else {
            throw CommandError(
                .configuration, "Mailbox \(mailbox): the environment variable \(name) (\(key)) is not set.")
        }
        return value
    }
}
