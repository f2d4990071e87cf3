import ArgumentParser
import Foundation
import FundClient
import Glibc
import Terminal

struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Sign in to a server.",
        discussion: """
            The password comes from --password-file, from FUND_PASSWORD, from the terminal, or from standard input. It \
            is not kept: a token of the server is, in a file that only you can read. The token expires when it is not \
            used for a time that the server sets.

            An account with a second factor asks for a code of the authenticator app, or a recovery code, at the \
            terminal; elsewhere --code gives it.

            Examples:
              fund login https://funds.example.com ann@example.com
              fund login https://funds.local:8443 ann@example.com --ca-file /etc/ssl/our-authority.pem
            """)

    @Argument(help: "The server: https://HOST or https://HOST:PORT.")
    var server: String

    @Argument(help: "Any of your addresses that the server knows.")
    var email: String

    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"))
    var passwordFile: String?

    @Option(help: ArgumentHelp("A code of your authenticator app, or a recovery code.", valueName: "code"))
    var code: String?

    @Option(
        name: .customLong("ca-file"),
        help: ArgumentHelp(
            "Certificates (PEM) of the authorities that are trusted for this server, in place of the system's.",
            valueName: "file"))
    var authorityFile: String?

    @Flag(name: .customLong("default"), help: "Use this account where none is named.")
    var becomesDefault = false

    @Option(
        name: .customLong("config-dir"),
        help: ArgumentHelp(
            "The folder of accounts (default: $XDG_CONFIG_HOME/fund, else ~/.config/fund).", valueName: "dir"))
    var configFolder: String?

    func run() async throws {
        let address = try ServerAddress.forPassword(server)
        let accounts = CredentialFile(folder: configFolder ?? CredentialFile.defaultFolder)
        _ = try accounts.entries()
        let authority = authorityFile.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
        let transport: AsyncHTTPTransport
        do {
            transport = try AsyncHTTPTransport(
                .init(authorityFile: authority, proxy: ProxyChoice.proxy(for: address)))
        } catch {
            throw CommandError(.usage, "The file \(authorityFile ?? "") cannot be used: \(error.detail).")
        }
        let password = try SecretInput.password(for: "\(email) on \(address)", file: passwordFile)
        do {
            let session = try await signIn(address, password, transport, accounts)
            try accounts.setAuthorityFile(authority, of: session.account)
            if becomesDefault { try accounts.makeDefault(session.account) }
            await transport.shutdown()
            try Console.line("Signed in to \(address) as \(session.account.email).")
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    /// Asks for a code at the terminal where the server does.
    private func signIn(
        _ address: ServerAddress, _ password: String, _ transport: AsyncHTTPTransport, _ accounts: CredentialFile
    ) async throws -> Session {
        let label = "fund on \(Self.hostName)"
        do {
            return try await Session.signIn(
                to: address, email: email, password: password, code: code, label: label, transport: transport,
                store: accounts)
        } catch {
            guard error.code == .codeAsked, code == nil, SecretInput.isTerminal else { throw error }
        }
        let typed = try SecretInput.ask("Code of the authenticator app, or a recovery code: ")
        return try await Session.signIn(
            to: address, email: email, password: password, code: typed, label: label, transport: transport,
            store: accounts)
    }

    private static var hostName: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return "a computer" }
        return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
