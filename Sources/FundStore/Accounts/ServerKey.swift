internal import Glibc
import FundCore

/// The file that holds a store's secret key. It is not in the database, so that a copy of the database opens no token.
enum ServerKey {
    static let byteCount = 32

    /// Makes the key when there is none: whole and durable under its name, or not at all. Two processes agree on one.
    static func load(_ location: StoreLocation, owner: FileOwner?) throws -> [UInt8] {
        if let key = try read(location.serverKey) { return key }
        var key = [UInt8](repeating: 0, count: byteCount)
        guard getentropy(&key, byteCount) == 0 else { throw DiskError("make", location.serverKey) }
        let draft = "\(location.temporary)/\(DiskDirectory.uniqueName(prefix: "key"))"
        let descriptor = try DiskFile.open(draft, owner: owner)
        defer {
            close(descriptor)
            unlink(draft)
        }
        try key.withUnsafeBytes { try SpoolWriter.writeAll($0, to: descriptor, path: draft) }
        guard fsync(descriptor) == 0 else { throw DiskError("sync", draft) }
        // A name that is there already is another process's key, which counts.
        guard link(draft, location.serverKey) == 0 || errno == EEXIST else {
            throw DiskError("make", location.serverKey)
        }
        try DiskFile.syncNames(in: location.root)
        guard let key = try read(location.serverKey) else { throw DiskError("open", location.serverKey, code: ENOENT) }
        return key
    }

    /// Advice about a file that is no key. It is not made anew by itself: a backup may have the key.
    private static func advice(_ size: Int) -> String {
        "it is no key of \(byteCount) bytes (it has \(size)): bring it back from the backup, or delete it: then a new "
            + "one is made, tablets sign in again, and authenticator apps are set up again"
    }

    /// Problem of the file, in words for people; nil for a key, and where there is none yet.
    static func problem(_ location: StoreLocation) -> String? {
        guard let size = DiskFile.size(of: location.serverKey), size != byteCount else { return nil }
        return advice(Int(size))
    }

    private static func read(_ path: String) throws -> [UInt8]? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw DiskError("open", path)
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DiskError("open", path) }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_size == byteCount else {
            throw StoreError(.invalid, "read \(path)", advice(status.st_size))
        }
        guard status.st_mode & 0o077 == 0 else {
            throw StoreError(.invalid, "read \(path)", "others may read it: chmod 600, or better a new key")
        }
        var key = [UInt8](repeating: 0, count: byteCount)
        guard Glibc.read(descriptor, &key, byteCount) == byteCount else { throw DiskError("read", path) }
        return key
    }
}
