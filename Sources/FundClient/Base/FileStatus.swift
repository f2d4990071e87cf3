internal import Foundation

/// Metadata of a file, a folder or a link, as the system keeps it.
struct FileStatus: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case file, folder, link, other }

    /// Identity of a file whatever its name.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var inode: UInt64
    }

    var kind: Kind
    var identity: Identity
    /// Size in bytes.
    var size: Int64
    /// Time of the last change of the bytes, as programs set it; nanoseconds since 1970.
    var modified: Int64
    /// Time of the last change of anything about the file, by the system's clock; nanoseconds since 1970.
    var changed: Int64
    /// Permissions: 12 bits.
    var rights: UInt32

    var device: UInt64 { identity.device }
    var inode: UInt64 { identity.inode }

    /// Text that stays equal as long as nothing writes to the file.
    var stamp: String { "\(device):\(inode):\(size):\(modified):\(changed)" }

    init(_ raw: stat) {
        switch raw.st_mode & S_IFMT {
        case S_IFREG: kind = .file
        case S_IFDIR: kind = .folder
        case S_IFLNK: kind = .link
        default: kind = .other
        }
        identity = Identity(device: UInt64(truncatingIfNeeded: raw.st_dev), inode: UInt64(raw.st_ino))
        size = Int64(raw.st_size)
        rights = UInt32(raw.st_mode) & 0o7777
        #if canImport(Darwin)
            let (modified, changed) = (raw.st_mtimespec, raw.st_ctimespec)
        #else
            let (modified, changed) = (raw.st_mtim, raw.st_ctim)
        #endif
        self.modified = Int64(clampedSeconds: Int64(modified.tv_sec), nanoseconds: Int64(modified.tv_nsec))
        self.changed = Int64(clampedSeconds: Int64(changed.tv_sec), nanoseconds: Int64(changed.tv_nsec))
    }
}
