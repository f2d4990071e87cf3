@testable import FundClient

/// Trees made of lists of paths.
struct ExampleTrees {
    var base: [BaseRow] = []
    var local = LocalTree()
    var remote = RemoteTree()

    /// A path with what it holds, and as what the base knows it.
    private struct Item {
        var path: String
        var bytes: String?
        var origin: String

        init(_ text: String) {
            let parts = text.split(separator: "<", maxSplits: 1).map(String.init)
            let words = parts[0].split(separator: "=", maxSplits: 1).map(String.init)
            path = words[0].hasSuffix("/") ? String(words[0].dropLast()) : words[0]
            bytes = words.count > 1 ? words[1] : nil
            origin = parts.count > 1 ? parts[1] : path
        }

        var kind: SyncKind { bytes != nil ? .file : path.contains("/") ? .folder : .fund }
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
        var parent: String? {
            path.lastIndex(of: "/").map { String(path[..<$0]) }
        }
        var digest: Digest? { bytes.map { ModelServer.digest(Array($0.utf8)) } }

        func fingerprint(_ inode: UInt64) -> Fingerprint {
            Fingerprint(inode: inode, size: Int64(bytes?.utf8.count ?? 0), modified: Int64(bytes.hashValue & 0xFFFF))
        }
    }

    init(base: [String], here: [String], there: [String]) {
        var ids: [String: Int64] = [:]
        for item in base.map(Item.init) {
            let id = Int64(ids.count + 1)
            ids[item.path] = id
            self.base.append(
                BaseRow(
                    id: id, parent: item.parent.flatMap { ids[$0] }, name: item.name,
                    remote: RemoteKey(kind: item.kind, id: id), digest: item.digest,
                    fingerprint: item.fingerprint(UInt64(id))))
        }
        var indices: [String: Int] = [:]
        var next = Int64(1000)
        for item in here.map(Item.init) {
            next += 1
            indices[item.path] = local.nodes.count
            let id = item.kind == self.base.first { $0.id == ids[item.origin] }?.kind ? ids[item.origin] : nil
            local.nodes.append(
                LocalNode(
                    parent: item.parent.flatMap { indices[$0] }, name: item.name, kind: item.kind,
                    fingerprint: item.fingerprint(UInt64(id ?? next)), digest: item.digest))
        }
        var keys: [String: RemoteKey] = [:]
        for item in there.map(Item.init) {
            next += 1
            let id = item.kind == self.base.first { $0.id == ids[item.origin] }?.kind ? ids[item.origin] : nil
            let key = RemoteKey(kind: item.kind, id: id ?? next)
            keys[item.path] = key
            remote.nodes.append(
                RemoteNode(
                    key: key, parent: item.parent.flatMap { keys[$0] }, name: item.name, digest: item.digest,
                    size: Int64(item.bytes?.utf8.count ?? 0)))
        }
    }
}
