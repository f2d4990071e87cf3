/// A new file whose way to the other side was begun. When its run is killed before its row is written, the next run
/// writes the row: else the same file would be a new one on both sides once it was renamed.
struct CarriedFile: Sendable, Hashable {
    /// By which the server knows the place; nil for the top.
    var parent: RemoteKey?
    /// On the server.
    var name: String
    /// Of the bytes that are carried.
    var digest: Digest
    /// Of the file here: of that which is sent, or of the part that gets its name.
    var fingerprint: Fingerprint

    /// Those that the server has, under that name and with those bytes. Looks at each place once.
    static func arrived(
        _ files: [CarriedFile], in places: any RemotePlaces
    ) throws -> [(file: CarriedFile, node: RemoteNode)] {
        var arrived: [(file: CarriedFile, node: RemoteNode)] = []
        for (parent, carried) in Dictionary(grouping: files, by: \.parent) {
            var waiting = Dictionary(carried.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
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
    /// Those of the files that lie somewhere in the folder, under whatever name, as they were. A part that never got its
    /// name is none of them.
    func stillHere(_ files: [CarriedFile]) -> [CarriedFile] {
        var waiting = Dictionary(files.map { ($0.fingerprint.inode, $0) }, uniquingKeysWith: { $1 })
        var (found, folders): ([CarriedFile], [String]) = ([], [root])
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
