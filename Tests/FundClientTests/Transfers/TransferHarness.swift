import Foundation
import FundClient
import Synchronization
import TestSupport
import Testing

/// A real server with one user, and the folders of a client of that user.
final class TransferHarness: Sendable {
    static let user = ReplayStore.user
    private static let password = ReplayStore.password

    let store: ReplayStore
    let session: Session
    let fund: FundID
    let transport: AsyncHTTPTransport
    /// Folder of the client.
    let folder: String
    let credentials: CredentialFile
    private let running: Mutex<BuiltProgram.Running?>
    /// Its port also while no server runs.
    private let held: HeldPort

    /// The port of the server; the same when it is started again.
    var port: Int { held.number }

    init(serving extra: String = "") async throws {
        store = try await ReplayStore()
        held = try HeldPort()
        try Data(
            "store: ./store\nserver: {listen: 127.0.0.1:\(held.number)}\nretention: {raw: keep}\n\(extra)".utf8
        ).write(to: URL(fileURLWithPath: store.configuration))
        running = Mutex(try await Self.start(store))
        folder = store.folder + "/client"
        transport = try AsyncHTTPTransport()
        credentials = CredentialFile(folder: folder + "/config")
        let address = try #require(ServerAddress("http://127.0.0.1:\(held.number)"))
        session = try await Session.signIn(
            to: address, email: Self.user, password: Self.password, label: "test", transport: transport,
            store: credentials)
        fund = try #require(try await session.funds().first { $0.name == "Fund1" }?.id)
    }

    func remove() {
        killServer()
        store.remove()
        Task { [transport] in await transport.shutdown() }
    }

    // MARK: The server

    private static func start(_ store: ReplayStore) async throws -> BuiltProgram.Running {
        let running = try store.program.start(store.arguments(["serve"]))
        _ = try await becomesTrue { running.errorsSoFar.contains("serving on") || !running.isRunning }
        try #require(running.isRunning, "\(running.errorsSoFar)")
        return running
    }

    func killServer() {
        running.withLock { running in
            running?.kill()
            running = nil
        }
    }

    func startServer() async throws {
        let new = try await Self.start(store)
        running.withLock { $0 = new }
    }

    // MARK: The client

    func catalogue(_ name: String = "data") throws -> Catalogue { try Catalogue(in: "\(folder)/\(name)") }

    /// Session of the user by way of another port: that of a proxy.
    func session(at port: Int) async throws -> Session {
        let address = try #require(ServerAddress("http://127.0.0.1:\(port)"))
        return try await Session.signIn(
            to: address, email: Self.user, password: Self.password, label: "proxy", transport: transport,
            store: credentials, retries: .never)
    }

    /// Uploads a file in the plain way.
    @discardableResult
    func put(_ name: String, _ bytes: [UInt8], in folder: FolderID? = nil) async throws -> File {
        try await session.upload(.bytes(bytes), named: name, to: folder.map { .folder($0) } ?? .fund(fund))
    }

    func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    static func read(_ path: String) -> [UInt8]? { FileManager.default.contents(atPath: path).map(Array.init) }

    /// Names in a folder, sorted; hidden ones, too.
    static func names(_ folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }
}
