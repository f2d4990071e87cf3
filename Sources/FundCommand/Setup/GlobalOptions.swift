import ArgumentParser
import FundClient
import Terminal

/// Where accounts are kept, and which is meant.
struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Which account, if you have several: EMAIL, or EMAIL@SERVER (default: the one of the first login).",
            valueName: "account"))
    var account: String?

    @Option(
        name: .customLong("config-dir"),
        help: ArgumentHelp(
            "The folder of accounts (default: $XDG_CONFIG_HOME/fund, else ~/.config/fund).", valueName: "dir"))
    var configFolder: String?

    var accounts: CredentialFile { CredentialFile(folder: configFolder ?? CredentialFile.defaultFolder) }

    /// The account that is meant. Throws `CommandError` when it is not known, or not clear.
    /// - Parameter advice: what to do without any account.
    func entry(
        orElse advice: String = "Sign in with `fund login URL EMAIL`."
    ) throws -> CredentialFile.Entry {
        let entries: [CredentialFile.Entry]
        do {
            entries = try accounts.entries()
        } catch {
            throw CommandError(.configuration, "\(error.detail.prefix(1).uppercased())\(error.detail.dropFirst()).")
        }
        guard !entries.isEmpty else {
            throw CommandError(.denied, "You are not signed in. \(advice)")
        }
        guard let account else {
            if let entry = entries.first(where: \.isDefault) ?? entries.first { return entry }
            throw CommandError(.denied, "You are not signed in. \(advice)")
        }
        let fitting = entries.filter { $0.account.isNamed(by: account) }
        guard let entry = fitting.first else {
            let known = entries.map { "\($0.account)" }.joined(separator: ", ")
            throw CommandError(.denied, "There is no account \(account); you are signed in as \(known).")
        }
        guard fitting.count == 1 else {
            throw CommandError(
                .usage, "\(account) is an account of several servers: name one as \(fitting[0].account).")
        }
        return entry
    }

    /// Runs the body with a session, and closes its connections afterwards.
    /// - Parameter wrap: gives the transport that the session uses, over the one that has the connections.
    func withSession(
        over wrap: (AsyncHTTPTransport) -> any HTTPTransport, _ body: (Session) async throws -> Void
    ) async throws {
        let entry = try entry()
        try await Self.withTransport(to: entry.account.server, authorityFile: entry.authorityFile) { transport in
            try await body(Session(account: entry.account, credentials: accounts, transport: wrap(transport)))
        }
    }

    /// Runs the body with connections to a server, and closes them afterwards.
    static func withTransport(
        to server: ServerAddress, authorityFile: String?, _ body: (AsyncHTTPTransport) async throws -> Void
    ) async throws {
        let transport: AsyncHTTPTransport
        do {
            transport = try AsyncHTTPTransport(
                .init(authorityFile: authorityFile, proxy: ProxyChoice.proxy(for: server)))
        } catch {
            throw CommandError(.configuration, "\(error.detail). Sign in again with --ca-file.")
        }
        do {
            try await body(transport)
            await transport.shutdown()
        } catch {
            await transport.shutdown()
            throw error
        }
    }
}

extension Account {
    /// By the address, or by the address and the server, whose scheme may be left out.
    fileprivate func isNamed(by text: String) -> Bool {
        let names = [email, "\(email)@\(server)", "\(email)@\(server.authority)"]
        return names.contains { $0.lowercased() == text.lowercased() }
    }
}

/// Options of the commands that ask a server.
struct GlobalOptions: ParsableArguments {
    @OptionGroup var choice: AccountOptions

    @Flag(help: "Print one JSON object a line.")
    var json = false

    @Flag(name: [.customShort("q"), .long], help: "Show no progress, only what is asked for and what failed.")
    var quiet = false

    /// Runs the body with a session, and closes its connections afterwards.
    func withSession(_ body: (Session) async throws -> Void) async throws {
        try await choice.withSession(over: { $0 }, body)
    }

    /// Does one thing about each of the entities with these numbers, and says what became of it. Stops at the first
    /// failure, which names its entity.
    /// - Parameters:
    ///   - entity: `Feed`, for `Feed 4 is removed.`
    ///   - outcome: the rest of that sentence; nil says nothing.
    func withEach(
        _ entity: String, _ ids: [Int64], outcome: String?, _ act: (Session, Int64) async throws -> Void
    ) async throws {
        try await withSession { session in
            for id in ids {
                do { try await act(session, id) } catch { throw CommandError(error).about("\(entity) \(id)") }
                if let outcome { try say("\(entity) \(id) \(outcome)") }
            }
        }
    }

    /// Says what was done, to people who want to hear it.
    func say(_ text: String) throws {
        if !json, !quiet { try Console.line(text) }
    }
}
