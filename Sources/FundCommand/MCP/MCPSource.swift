import ArgumentParser
import Foundation
import FundClient
import Terminal

/// Whose funds an assistant reads, and by what credential.
struct MCPSource: ParsableArguments {
    @OptionGroup var choice: AccountOptions

    @Option(
        help: ArgumentHelp(
            "The server of the app password: https://HOST or https://HOST:PORT (default: that of the account).",
            valueName: "url"))
    var server: String?

    @Option(
        name: .customLong("app-password-file"),
        help: ArgumentHelp("A file whose first line is an app password.", valueName: "file"))
    var passwordFile: String?

    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp(
            "With --server: certificates (PEM) of the authorities that are trusted, in place of the system's.",
            valueName: "file"))
    var authorityFile: String?

    /// Runs the body with a session that sends nothing but requests to read. Says on standard error when the
    /// credential may do more.
    func withSession(_ body: (Session) async throws -> Void) async throws {
        guard let password = try SecretInput.appPassword(file: passwordFile) else {
            guard server == nil else {
                throw CommandError(
                    .usage,
                    "--server is for an app password: give one by \(SecretInput.appPasswordVariable) or "
                        + "--app-password-file.")
            }
            return try await choice.withSession(over: { ReadOnlyTransport($0) }) { session in
                Console.error(
                    "fund mcp uses the session of `fund login`, which may do all that you may. An app password that "
                        + "only reads is safer: see `fund mcp --help`.\n")
                try await body(session)
            }
        }
        let (address, authority) = try place()
        try await AccountOptions.withTransport(to: address, authorityFile: authority) { transport in
            let opened: (session: Session, reach: AppPasswordReach)
            do {
                opened = try await Session.open(
                    appPassword: password, on: address, transport: ReadOnlyTransport(transport))
            } catch let error as ClientError where error.code == .wrongPassword {
                throw CommandError(
                    .denied,
                    "\(address) does not take the app password (any more). Make one under Account on its "
                        + "pages, or with `fundmail user token add-app EMAIL --reach read`.")
            }
            if opened.reach == .files {
                Console.error(
                    "This app password may change files, and opens no mail and no notes. Make one that only reads: "
                        + "see `fund mcp --help`.\n")
            }
            try await body(opened.session)
        }
    }

    private func place() throws -> (ServerAddress, authorityFile: String?) {
        guard let server else {
            guard authorityFile == nil else { throw CommandError(.usage, "--ca-file is for --server.") }
            let entry = try choice.entry(orElse: "Name the server of the app password with --server.")
            return (entry.account.server, entry.authorityFile)
        }
        let authority = authorityFile.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        return (try ServerAddress.forPassword(server), authority)
    }
}
