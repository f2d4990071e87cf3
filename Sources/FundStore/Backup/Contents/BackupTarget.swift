import FundCore

/// The folder that a backup of a store is written into.
struct BackupTarget {
    let source: StoreLocation
    let target: StoreLocation

    /// Makes what is missing. Throws `invalid` for a folder that holds something else or lies inside the store.
    func prepare() throws {
        try DiskDirectory.makeAll(upTo: target.root, isPrivate: true)
        guard try DiskDirectory.names(in: target.root).allSatisfy(StoreLocation.isKnown) else {
            throw StoreError(.invalid, "back the store up", "\(target.root) holds something else")
        }
        guard !source.contains(target.root) else {
            throw StoreError(.invalid, "back the store up", "\(target.root) lies inside the store")
        }
        try target.create()
    }

    var anotherStore: StoreError {
        StoreError(
            .invalid, "back the store up", "\(target.root) holds the backup of another store; name another folder")
    }

    /// Copies the server's key. Gives what is wrong with it, one sentence each.
    func copyKey() throws -> [String] {
        guard let size = DiskFile.size(of: source.serverKey) else { return [] }
        // One that is no key must not take the place of one that is.
        guard size == ServerKey.byteCount else { return ["server.key, which is no key"] }
        try DiskFile.copy(source.serverKey, to: target.serverKey)
        return []
    }
}
