/// A new file that is transferred and has no row yet. When its run is killed in between, the next run writes the row:
/// else the same file would be a new one on both sides once it was renamed.
struct UnrecordedFile: Sendable, Hashable {
    /// Key of the place on the server; nil for the top.
    var parent: RemoteKey?
    /// Name on the server.
    var name: String
    /// Digest of the bytes that are transferred.
    var digest: Digest
    /// Fingerprint of the file here: of that which is sent, or of the part that gets its name.
    var fingerprint: Fingerprint

    /// The files of a list that the server has, under that name and with those bytes. Looks at each place once.
    static func arrived(
        _ files: [UnrecordedFile], in places: any RemotePlaces
    ) throws -> [(file: UnrecordedFile, node: RemoteNode)] {
        var arrived: [(file: UnrecordedFile, node: RemoteNode)] = []
        for (parent, files) in Dictionary(grouping: files, by: \.parent) {
            var waiting = Dictionary(files.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
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
    /// The files of a list that lie somewhere in the folder, under whatever name, as they were. A part that never got
    /// its name is none of them.
    func stillHere(_ files: [UnrecordedFile]) -> [UnrecordedFile] {
        // Two of one inode where it has two names.
        var waiting = Dictionary(grouping: files) { $0.fingerprint.inode }
        var found: [UnrecordedFile] = []
        LocalFiles.walk(Array(root.utf8), except: SyncName.ownFolder) { status in
            if status.kind == .file, let files = waiting.removeValue(forKey: status.inode) {
                found += files.filter { Fingerprint(status).isSameContent(as: $0.fingerprint) }
            }
            return !waiting.isEmpty
        }
        return found
    }
}
