internal import Foundation
internal import FundClient

/// The account that a folder belongs to, with what its calls need.
struct SyncAccount {
    let session: Session
    let transport: AsyncHTTPTransport
    let catalogue: Catalogue

    /// - Parameter name: an address, or an address and a server; nil for the default account.
    init(_ name: String?, configDir: String?) throws(ClientError) {
        let file = CredentialFile(folder: configDir ?? CredentialFile.defaultFolder)
        let entries = try file.entries()
        let found = entries.first { entry in
            guard let name else { return entry.isDefault }
            return entry.account.email == name || "\(entry.account)" == name
        }
        guard let entry = found ?? (name == nil ? entries.first : nil) else {
            throw ClientError(.unauthenticated, "sign in first: fund login URL EMAIL")
        }
        var configuration = AsyncHTTPTransport.Configuration()
        configuration.authorityFile = entry.authorityFile
        do { transport = try AsyncHTTPTransport(configuration) } catch {
            throw ClientError(.certificate, error.detail)
        }
        session = Session(account: entry.account, credentials: file, transport: transport)
        catalogue = try Catalogue(in: "\(Self.dataFolder)/\(entry.account.key)")
    }

    private static var dataFolder: String {
        let environment = ProcessInfo.processInfo.environment
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return "\(base)/fund" }
        return "\(environment["HOME"] ?? NSHomeDirectory())/.local/share/fund"
    }

    func fund(named name: String) async throws(ClientError) -> FundID {
        let funds = try await session.funds()
        let found =
            funds.first { $0.name == name } ?? funds.first { $0.name.lowercased() == name.lowercased() }
            ?? funds.first { fund in fund.aliases.contains { $0.lowercased() == name.lowercased() } }
        guard let found else { throw ClientError(.notFound, "there is no fund \(name)") }
        return found.id
    }
}
