internal import ArgumentParser
internal import Foundation
internal import FundClient

/// Whose queue it is.
struct QueueAccount: ParsableArguments {
    @Option(help: ArgumentHelp("The account, where there are several.", valueName: "email[@server]"))
    var account: String?

    @Option(help: ArgumentHelp("The folder of the accounts.", valueName: "folder"))
    var configDir: String?

    func entry() throws -> CredentialFile.Entry {
        let all = try file.entries()
        guard let account else {
            guard let entry = all.first(where: \.isDefault) ?? all.first else {
                throw ValidationError("not signed in: fund login URL EMAIL")
            }
            return entry
        }
        let found = all.filter { $0.account.email == account || $0.account.description == account }
        guard let entry = found.first else { throw ValidationError("no account \(account) here: fund login URL EMAIL") }
        guard found.count == 1 else { throw ValidationError("\(account) is on several servers: EMAIL@SERVER") }
        return entry
    }

    private var file: CredentialFile { CredentialFile(folder: configDir ?? CredentialFile.defaultFolder) }

    /// What is kept of the account on this machine. Needs no network.
    func catalogue() throws -> Catalogue { try Catalogue(in: try Self.dataFolder(of: entry().account)) }

    /// `$XDG_DATA_HOME/fund/…`, or `~/.local/share/fund/…`.
    static func dataFolder(of account: Account) -> String {
        let environment = ProcessInfo.processInfo.environment
        let base =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
            ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
        return "\(base)/fund/\(account.key)"
    }

    /// A session, ended by shutting down its transport.
    func session() throws -> Session {
        let entry = try entry()
        let transport = try AsyncHTTPTransport(.init(authorityFile: entry.authorityFile))
        return Session(account: entry.account, credentials: file, transport: transport)
    }
}
