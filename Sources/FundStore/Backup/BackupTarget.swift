internal import Glibc
import FundCore

/// The folder that a backup of a store is written into.
struct BackupTarget {
    private static let names: Set = [
        "log", "tmp", "lost", "states", "cache", "leases", "reserve", "reserve.last", "server.key",
        "fundmail.sqlite.part",
    ]

    let source: StoreLayout
    let target: StoreLayout

    /// Makes what is missing. Throws `invalid` for a folder that holds something else or lies inside the store.
    func prepare() throws {
        try DiskDirectory.makeAll(upTo: target.root, isPrivate: true)
        let isBackup = try DiskDirectory.names(in: target.root).allSatisfy {
            Self.names.contains($0) || $0.hasPrefix("fundmail.sqlite") || $0.hasSuffix(".lock")
        }
        guard isBackup else {
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
        guard let size = StoreLayout.size(of: source.serverKey) else { return [] }
        // One that is no key must not take the place of one that is.
        guard size == ServerKey.byteCount else { return ["server.key, which is no key"] }
        let descriptor = try StoreLayout.open(target.serverKey, owner: nil)
        defer { close(descriptor) }
        try FileBytes.read(source.serverKey) { bytes in
            guard SystemCall.writeAll(bytes, to: descriptor, at: 0) else { throw SpoolError("write", target.serverKey) }
        }
        guard fsync(descriptor) == 0 else { throw SpoolError("sync", target.serverKey) }
        return []
    }
}
