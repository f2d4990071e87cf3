import Foundation
import GRDB
import Synchronization
import Testing

@testable import FundClient

/// Only what differs is planned for, and many new things come one part after the other.
@Suite struct ComparisonTests {
    private let server = ModelServer()
    private let folder: ModelFolder
    private let fund: RemoteKey

    init() throws {
        folder = try ModelFolder()
        fund = try #require(server.add(.fund, "Fund1", in: nil))
    }

    private func open(maxNew: Int, direction: FolderSync.Direction = .both) throws -> FolderSync {
        var options = FolderSync.Options()
        (options.settleTime, options.patience, options.direction) = (.zero, .zero, direction)
        return try FolderSync(
            folder.root, with: server, scope: "test", user: "ann", options: options, maxNew: maxNew)
    }

    private func compare(_ sync: FolderSync, _ options: ComparisonOptions = ComparisonOptions()) throws -> ComparedTrees
    {
        let listing = TreeListing(RemoteTree(nodes: server.everything))
        return try sync.state.read { try TreeComparison.run(sync.folder, $0, listing, options) }
    }

    private func addFiles(_ count: Int, _ name: String, in place: RemoteKey) {
        for number in 0..<count { server.add(.file, "\(name)\(number)", in: place, Array("\(name) \(number)".utf8)) }
    }

    @Test(arguments: [1, 3, 1000]) func doesManyNewThingsInParts(_ maxNew: Int) async throws {
        addFiles(10, "there", in: fund)
        let inner = try #require(server.add(.folder, "inner", in: fund))
        addFiles(10, "deep", in: inner)
        try folder.makeFolder("Fund1")
        try folder.makeFolder("Fund1/own")
        // Both sides have it, with the same bytes and with others.
        try folder.write("there 3", to: "Fund1/there3")
        try folder.write("other", to: "Fund1/there4")
        for number in 0..<10 { try folder.write("here \(number)", to: "Fund1/own/here\(number)") }
        let sync = try open(maxNew: maxNew)
        defer { sync.close() }
        let summary = try await sync.run()
        #expect(summary.isInStep)
        #expect(summary.counts[.upload] == 11)
        #expect(summary.counts[.download] == 19)
        #expect(summary.counts[.conflict] == 1)
        #expect(folder.paths == server.paths)
    }

    @Test func holdsNothingOfWhatIsInStep() async throws {
        addFiles(50, "a", in: fund)
        let inner = try #require(server.add(.folder, "inner", in: fund))
        addFiles(50, "b", in: inner)
        let sync = try open(maxNew: 1000)
        defer { sync.close() }
        _ = try await sync.run()
        var trees = try compare(sync)
        #expect((trees.base.count, trees.local.nodes.count, trees.remote.nodes.count) == (0, 0, 0))
        #expect(trees.unchangedFiles == 100)
        // One changed file comes with the folders above it, a moved folder without what is in it.
        let changed = try #require(server.everything.first { $0.name == "b7" })
        server.change(changed.key, to: [1])
        trees = try compare(sync)
        #expect(Set(trees.remote.nodes.map(\.name)) == ["Fund1", "inner", "b7"])
        #expect(Set(trees.local.nodes.map(\.name)) == ["Fund1", "inner", "b7"])
        #expect(Set(trees.base.map(\.name)) == ["Fund1", "inner", "b7"])
        _ = try await sync.run()
        server.rename(inner, to: "outer", in: fund)
        trees = try compare(sync)
        #expect(trees.base.count == 2)
        let summary = try await sync.run()
        #expect(summary.counts == [.moveHere: 1])
        #expect(folder.paths == server.paths)
    }

    @Test func knowsTheNamesInItsWay() async throws {
        addFiles(1, "a", in: fund)
        addFiles(30, "b", in: fund)
        let sync = try open(maxNew: 1000)
        defer { sync.close() }
        _ = try await sync.run()
        try folder.write("new", to: "Fund1/A0")
        let trees = try compare(sync)
        #expect(Set(trees.local.nodes.map(\.name)) == ["Fund1", "a0", "A0"])
        let summary = try await sync.run()
        #expect(summary.isInStep)
        #expect(folder.paths == server.paths)
        #expect(folder.paths.count == 33)
    }

    /// A file that was moved into a new folder is found there although the folder waits.
    @Test func followsMovesIntoFoldersThatWait() async throws {
        addFiles(8, "a", in: fund)
        let sync = try open(maxNew: 1)
        defer { sync.close() }
        _ = try await sync.run()
        let new = try #require(server.add(.folder, "new", in: fund))
        addFiles(8, "n", in: fund)
        for node in server.everything where node.name.hasPrefix("a") { server.rename(node.key, to: node.name, in: new) }
        try folder.makeFolder("Fund1/own")
        var options = ComparisonOptions()
        options.maxNew = 0
        let trees = try compare(sync, options)
        #expect(trees.remote.nodes.filter { $0.name.hasPrefix("a") }.count == 8)
        let summary = try await sync.run()
        #expect(summary.counts[.moveHere] == 8)
        #expect(summary.counts[.download] == 8)
        #expect(summary.counts[.deleteHere] == nil)
        #expect(folder.paths == server.paths)
    }

    /// A file that fails is not tried before all others again and again.
    @Test func goesOnBehindWhatFails() async throws {
        addFiles(10, "bad", in: fund)
        addFiles(30, "good", in: fund)
        let failing = FailingServer(server)
        var options = FolderSync.Options()
        options.settleTime = .zero
        let sync = try FolderSync(
            folder.root, with: failing, scope: "test", user: "ann", options: options, maxNew: 4)
        defer { sync.close() }
        let summary = try await sync.run()
        #expect(summary.counts[.download] == 30)
        #expect(summary.problems.count == 10)
        #expect(!summary.isInStep)
        #expect(failing.failures.withLock { $0 } <= 20)
    }

    @Test func leavesAloneWhatTheOtherDirectionHas() async throws {
        addFiles(3, "there", in: fund)
        try folder.makeFolder("Fund1")
        for number in 0..<30 { try folder.write("here \(number)", to: "Fund1/here\(number)") }
        let sync = try open(maxNew: 2, direction: .down)
        defer { sync.close() }
        let summary = try await sync.run()
        #expect(summary.counts == [.download: 3])
        #expect(summary.isInStep)
        let trees = try compare(sync, ComparisonOptions(direction: .down))
        #expect(trees.local.nodes.isEmpty)
    }

    @Test func ordersNamesAsTheServerKeepsThem() throws {
        for name in ["b", "a", "e\u{301}x", "\u{E9}y", "z", ".h"] { try folder.write("", to: name) }
        let names = try FolderNames(path: folder.root)
        let keys = (0..<names.count).map { names.key($0) }
        #expect(keys.filter { $0 != ".fund" } == [".h", "a", "b", "z", "\u{E9}x", "\u{E9}y"])
        #expect((0..<names.count).contains { names[$0].utf8.elementsEqual("e\u{301}x".utf8) })
    }

    /// The feed may have told a folder of which it has not told the one above, and folders that lie in each other.
    @Test func showsOfACatalogueWhatIsBelowAFund() async throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let catalogue = try Catalogue(in: home)
        try await catalogue.database.write { db in
            try db.execute(
                sql: """
                    INSERT INTO fund VALUES (1, 'one', '[]', 0, 0, 0, 0, 1), (2, 'old', '[]', 0, 0, 0, 1, 1);
                    INSERT INTO folder VALUES (1, 1, NULL, 'b', 0, 0, 1), (2, 1, 1, 'c', 0, 0, 1),
                        (3, 1, 99, 'lost', 0, 0, 1), (4, 1, 5, 'x', 0, 0, 1), (5, 1, 4, 'y', 0, 0, 1),
                        (6, 2, NULL, 'd', 0, 0, 1);
                    INSERT INTO file (id, fund, folder, name, size, content_type, digest, created_at, modified_at,
                        is_favourite, seen)
                        SELECT value, 1, CASE value WHEN 1 THEN NULL WHEN 2 THEN 2 ELSE 3 END, 'a' || value, 5, '',
                            zeroblob(32), 0, 7, 0, 1 FROM json_each('[1, 2, 3]')
                    """)
        }
        for fund in [nil, FundID(1)] {
            let listing = CatalogueListing(snapshot: try catalogue.database.snapshot(), fund: fund)
            var found: [String] = []
            try listing.read { places in
                var waiting: [RemoteKey?] = [nil]
                while let place = waiting.popLast() {
                    let children = try places.children(of: place)
                    while let node = try children() {
                        found.append(node.name)
                        if !node.kind.isFile { waiting.append(node.key) }
                        #expect(try places.node(node.key) == node)
                    }
                }
                #expect(try places.node(RemoteKey(kind: .folder, id: 3)) == nil)
                #expect(try places.node(RemoteKey(kind: .folder, id: 4)) == nil)
                #expect(try places.node(RemoteKey(kind: .folder, id: 6)) == nil)
                #expect(try places.node(RemoteKey(kind: .file, id: 3)) == nil)
            }
            #expect(found == (fund == nil ? ["one"] : []) + ["a1", "b", "c", "a2"])
        }
        try catalogue.close()
    }
}

/// A server that gives no bytes of some files.
private final class FailingServer: RemoteSide {
    private let server: ModelServer
    let failures = Mutex(0)

    init(_ server: ModelServer) { self.server = server }

    func listing() async throws(ClientError) -> any RemoteListing { try await server.listing() }

    func make(_ kind: SyncKind, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode {
        try await server.make(kind, named: name, in: parent)
    }

    func move(_ node: RemoteNode, to parent: RemoteKey?, named name: String) async throws(ClientError) -> RemoteNode {
        try await server.move(node, to: parent, named: name)
    }

    func delete(_ node: RemoteNode) async throws(ClientError) { try await server.delete(node) }

    func upload(_ source: FileSource, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    {
        try await server.upload(source, named: name, in: parent)
    }

    func replace(_ node: RemoteNode, with source: FileSource) async throws(ClientError) -> RemoteNode {
        try await server.replace(node, with: source)
    }

    func content(of node: RemoteNode, from offset: Int64) async throws(ClientError) -> Content {
        if node.name.hasPrefix("bad") {
            failures.withLock { $0 += 1 }
            throw ClientError(.quarantined, "malware was found in it")
        }
        return try await server.content(of: node, from: offset)
    }

    func waitForNews() async throws { try await server.waitForNews() }
}
