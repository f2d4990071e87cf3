import struct Crypto.SHA256
import Foundation
import TestSupport

@testable import FundClient

/// A server in memory with the rules of the real one: names compared without regard to case, changes only of what is
/// still what the caller saw, nothing lost but what the trash holds.
final class ModelServer: RemoteSide, @unchecked Sendable {
    /// Guards all below.
    private let lock = NSRecursiveLock()
    private var nodes: [RemoteKey: RemoteNode] = [:]
    private var contents: [Digest: [UInt8]] = [:]
    private var trashed: Set<Digest> = []
    private var lastID: Int64 = 0
    private let topIsFunds: Bool

    /// History of the listings.
    var history: RemoteHistory?
    /// Called before and after each call has its effect; what it throws is what the client sees.
    var meddle: @Sendable (_ isBefore: Bool) throws(ClientError) -> Void = { _ in }

    init(topIsFunds: Bool = true) { self.topIsFunds = topIsFunds }

    static func digest(_ bytes: [UInt8]) -> Digest {
        guard let digest = Digest(bytes: SHA256.hash(data: bytes)) else { fatalError("SHA-256 has 32 bytes") }
        return digest
    }

    private func call<T>(_ body: () throws(ClientError) -> T) throws(ClientError) -> T {
        try meddle(true)
        lock.lock()
        let result: Result<T, ClientError>
        do { result = .success(try body()) } catch { result = .failure(error) }
        lock.unlock()
        let value = try result.get()
        try meddle(false)
        return value
    }

    // MARK: What the client calls

    func listing() async throws(ClientError) -> any RemoteListing {
        try call { () throws(ClientError) in TreeListing(RemoteTree(nodes: all), history: history) }
    }

    func make(_ kind: SyncKind, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode {
        try call { () throws(ClientError) in try insert(kind, name, parent, nil) }
    }

    func move(_ node: RemoteNode, to parent: RemoteKey?, named name: String) async throws(ClientError) -> RemoteNode {
        try call { () throws(ClientError) in
            try check(node)
            return try moveNow(node.key, to: parent, named: name)
        }
    }

    func delete(_ node: RemoteNode) async throws(ClientError) {
        try call { () throws(ClientError) in
            try check(node)
            deleteNow(node.key)
        }
    }

    func upload(_ source: FileSource, named name: String, in parent: RemoteKey?) async throws(ClientError) -> RemoteNode
    {
        let bytes = try await read(source)
        return try call { () throws(ClientError) in try insert(.file, name, parent, bytes) }
    }

    func replace(_ node: RemoteNode, with source: FileSource) async throws(ClientError) -> RemoteNode {
        let bytes = try await read(source)
        return try call { () throws(ClientError) in
            guard let found = nodes[node.key] else { throw ClientError(.notFound, "gone") }
            guard found.digest == node.digest else { throw ClientError(.preconditionFailed, "changed") }
            return replaceNow(node.key, bytes)
        }
    }

    func content(of node: RemoteNode, from offset: Int64) async throws(ClientError) -> Content {
        let bytes = try call { () throws(ClientError) in
            guard let found = nodes[node.key] else { throw ClientError(.notFound, "gone") }
            guard found.digest == node.digest, let bytes = found.digest.flatMap({ contents[$0] }) else {
                throw ClientError(.preconditionFailed, "changed")
            }
            return bytes
        }
        let left = Countdown(1)
        let body = ResponseBody { { left.next() ? Array(bytes.dropFirst(Int(offset))) : nil } }
        return Content(
            status: 200, offset: offset, totalSize: Int64(bytes.count), digest: node.digest, contentType: nil,
            body: ContentBody(body: body, length: Int64(bytes.count) - offset))
    }

    func waitForNews() async throws {
        await untilCancelled()
        throw CancellationError()
    }

    private func read(_ source: FileSource) async throws(ClientError) -> [UInt8] {
        do {
            var bytes: [UInt8] = []
            for try await piece in source.bytes.pieces() { bytes += piece }
            // A stream that is read by a cancelled task ends early; the real server knows the length.
            guard bytes.count == source.size else { throw ClientError(.interrupted, "the body ended early") }
            return bytes
        } catch { throw ClientError(local: error) }
    }

    // MARK: What is done

    private var all: [RemoteNode] { nodes.values.sorted { $0.key.id < $1.key.id } }

    private func check(_ node: RemoteNode) throws(ClientError) {
        guard let found = nodes[node.key] else { throw ClientError(.notFound, "gone") }
        guard found.parent == node.parent, found.name == node.name, found.digest == node.digest else {
            throw ClientError(.preconditionFailed, "changed")
        }
    }

    private func checkFree(_ name: String, in parent: RemoteKey?, for key: RemoteKey?) throws(ClientError) {
        let wanted = SyncName.key(name)
        if let parent, nodes[parent] == nil { throw ClientError(.notFound, "no such folder") }
        let isTaken = nodes.values.contains {
            $0.parent == parent && $0.key != key && SyncName.key($0.name) == wanted
        }
        if isTaken { throw ClientError(.conflict, "the name is taken") }
    }

    private func insert(_ kind: SyncKind, _ name: String, _ parent: RemoteKey?, _ bytes: [UInt8]?) throws(ClientError)
        -> RemoteNode
    {
        try checkFree(name, in: parent, for: nil)
        guard (parent == nil && topIsFunds) == (kind == .fund) else { throw ClientError(.invalid, "not there") }
        lastID += 1
        var node = RemoteNode(key: RemoteKey(kind: kind, id: lastID), parent: parent, name: name)
        if let bytes {
            node.digest = Self.digest(bytes)
            node.size = Int64(bytes.count)
            contents[Self.digest(bytes)] = bytes
        }
        nodes[node.key] = node
        return node
    }

    private func moveNow(_ key: RemoteKey, to parent: RemoteKey?, named name: String) throws(ClientError) -> RemoteNode
    {
        try checkFree(name, in: parent, for: key)
        var above = parent
        while let here = above {
            if here == key { throw ClientError(.invalid, "into itself") }
            above = nodes[here]?.parent
        }
        guard var node = nodes[key] else { throw ClientError(.notFound, "gone") }
        (node.parent, node.name) = (parent, name)
        nodes[key] = node
        return node
    }

    private func deleteNow(_ key: RemoteKey) {
        for child in nodes.values where child.parent == key { deleteNow(child.key) }
        if let digest = nodes.removeValue(forKey: key)?.digest { trashed.insert(digest) }
    }

    private func replaceNow(_ key: RemoteKey, _ bytes: [UInt8]) -> RemoteNode {
        guard var node = nodes[key] else { fatalError("no such file") }
        if let digest = node.digest { trashed.insert(digest) }
        node.digest = Self.digest(bytes)
        node.size = Int64(bytes.count)
        contents[Self.digest(bytes)] = bytes
        nodes[key] = node
        return node
    }

    // MARK: Backups

    /// Nodes of a moment, and the last id of that moment.
    struct Backup {
        fileprivate var nodes: [RemoteKey: RemoteNode]
        fileprivate var lastID: Int64
    }

    var backup: Backup { lock.withLock { Backup(nodes: nodes, lastID: lastID) } }

    /// Ids that were given since are given again, as by servers that do not pass them over.
    func restore(_ backup: Backup, as history: RemoteHistory?) {
        lock.withLock { (nodes, lastID, self.history) = (backup.nodes, backup.lastID, history) }
    }

    // MARK: What other clients do

    /// Nil when the name is taken or the like.
    @discardableResult
    func add(_ kind: SyncKind, _ name: String, in parent: RemoteKey?, _ bytes: [UInt8]? = nil) -> RemoteKey? {
        lock.withLock { try? insert(kind, name, parent, bytes).key }
    }

    func change(_ key: RemoteKey, to bytes: [UInt8]) {
        lock.withLock { if nodes[key] != nil { _ = replaceNow(key, bytes) } }
    }

    func rename(_ key: RemoteKey, to name: String, in parent: RemoteKey?) {
        lock.withLock { _ = try? moveNow(key, to: parent, named: name) }
    }

    /// - Parameter seconds: since 1970.
    func setModified(_ seconds: Int64, of key: RemoteKey) { lock.withLock { nodes[key]?.modified = seconds } }

    func remove(_ key: RemoteKey) { lock.withLock { deleteNow(key) } }

    var everything: [RemoteNode] { lock.withLock { all } }

    /// Every version that is found: in a file or in the trash.
    var versions: Set<Digest> { lock.withLock { trashed.union(nodes.values.compactMap(\.digest)) } }

    /// Digests by paths; nil for folders.
    var paths: [String: Digest?] {
        lock.withLock {
            var paths: [String: Digest?] = [:]
            for node in nodes.values {
                var (names, above) = ([node.name], node.parent)
                while let here = above.flatMap({ nodes[$0] }) {
                    names.append(here.name)
                    above = here.parent
                }
                paths[names.reversed().joined(separator: "/")] = node.digest
            }
            return paths
        }
    }
}
