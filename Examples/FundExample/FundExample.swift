import Foundation
import FundClient

/// A small app for the terminal: shows the funds of a user, loads the files of one with its progress, and does as much
/// of both as it can without a network.
///
///     FUND_PASSWORD=… FundExample https://funds.example.com ann@example.com ~/.fund-example [FUND]
@main struct FundExample {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4, let server = ServerAddress(words[1]) else {
            return print("usage: FundExample SERVER EMAIL FOLDER [FUND]")
        }
        let transport = try AsyncHTTPTransport(.init(authorityFile: environment("FUND_CA_FILE")))
        let store = CredentialFile(folder: words[3])
        let session: Session
        if let account = try store.entries().first(where: { $0.account.server == server })?.account {
            session = Session(account: account, credentials: store, transport: transport)  // no network, no password
        } else {
            session = try await Session.signIn(
                to: server, email: words[2], password: environment("FUND_PASSWORD") ?? "", label: "FundExample",
                transport: transport, store: store)
        }
        let catalogue = try Catalogue(in: "\(words[3])/\(session.account.key)")
        let isOnline = try await catchUp(catalogue, session)
        for fund in try await catalogue.funds() {
            print("\(fund.name): \(try await catalogue.items(of: .fund(fund.id)).count) items")
        }
        if words.count > 4 { try await load(words[4], catalogue, isOnline ? session : nil) }
        await transport.shutdown()
    }

    /// False without a network: then what was there last counts.
    static func catchUp(_ catalogue: Catalogue, _ session: Session) async throws -> Bool {
        do throws(ClientError) {
            try await CatalogueSync(of: catalogue, from: session).catchUp()
            return true
        } catch {
            guard error.isWorthRetrying else { throw error }
            let time = try await catalogue.standing().caughtUpAt
            print("offline (\(error.detail)); as of \(time.map { "\($0)" } ?? "never")")
            return false
        }
    }

    /// - Parameter session: nil shows what is here already.
    static func load(_ fund: String, _ catalogue: Catalogue, _ session: Session?) async throws {
        guard let place = try await catalogue.place(at: [fund]) else { return print("there is no fund \(fund)") }
        let (queue, cache) = (TransferQueue(of: catalogue), ContentCache(of: catalogue))
        let files = try await catalogue.files(of: place)
        if let session {
            try await queue.add(files.map { .download(Download($0)) })
            let showing = Task {
                for try await progress in queue.progress() {
                    print("\(progress.running.map(\.bytes).reduce(0, +)) bytes, \(progress.bytesLeft) to come")
                }
            }
            try await TransferRunner(queue, cache: cache, server: session).run()
            showing.cancel()
        }
        for file in files { print("\(file.name): \(try await cache.file(with: file.digest) ?? "not here yet")") }
    }

    static func environment(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }
}
