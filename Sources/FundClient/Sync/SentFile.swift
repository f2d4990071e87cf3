/// A new file whose sending was begun. When its run is killed before its row is written, the next run writes the row:
/// else the same file would be a new one on both sides once it was renamed.
struct SentFile: Sendable, Hashable {
    /// By which the server knows the place; nil for the top.
    var parent: RemoteKey?
    var name: String
    /// Of the bytes that were sent.
    var digest: Digest
    /// Of the file at that moment.
    var fingerprint: Fingerprint

    /// Those that the server has, under the name that they were sent with and with their bytes. Looks at each place
    /// once.
    static func arrived(
        _ files: [SentFile], in places: any RemotePlaces
    ) throws -> [(file: SentFile, node: RemoteNode)] {
        var arrived: [(file: SentFile, node: RemoteNode)] = []
        for (parent, sent) in Dictionary(grouping: files, by: \.parent) {
            var waiting = Dictionary(sent.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
            let children = try places.children(of: parent)
            while !waiting.isEmpty, let node = try children() {
                guard node.kind.isFile, let file = waiting.removeValue(forKey: node.name), node.digest == file.digest
                else { continue }
                arrived.append((file, node))
            }
        }
        return arrived
    }
}

extension LocalFolder {
    /// Those of the files that still lie somewhere in the folder, under whatever name, as they were.
    func stillHere(_ files: [SentFile]) -> [SentFile] {
        var waiting = Dictionary(files.map { ($0.fingerprint.inode, $0) }, uniquingKeysWith: { $1 })
        var (found, folders): ([SentFile], [String]) = ([], [root])
        while !waiting.isEmpty, let folder = folders.popLast() {
            for bytes in (try? FileCalls.names(in: folder)) ?? [] {
                let name = String(decoding: bytes, as: UTF8.self)
                guard name != SyncName.ownFolder, let status = try? FileCalls.status("\(folder)/\(name)") else {
                    continue
                }
                switch status.kind {
                case .folder: folders.append("\(folder)/\(name)")
                case .file:
                    if let file = waiting[status.inode], Fingerprint(status).isSameContent(as: file.fingerprint) {
                        waiting[status.inode] = nil
                        found.append(file)
                    }
                case .link, .other: continue
                }
            }
        }
        return found
    }
}
