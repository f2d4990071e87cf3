internal import Foundation

/// What the system knows of a file without its bytes.
struct FileStat: Sendable, Hashable {
    /// Which file it is, whatever its name.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var number: UInt64
    }

    enum Kind: Sendable, Hashable { case file, folder, link, other }

    var identity: Identity
    var kind: Kind
    /// In bytes.
    var size: Int64
    /// When its bytes changed last, in nanoseconds since 1970.
    var modifiedAt: Int64

    init(_ entry: stat) {
        identity = Identity(device: UInt64(entry.st_dev), number: UInt64(entry.st_ino))
        size = Int64(entry.st_size)
        #if canImport(Darwin)
            let time = entry.st_mtimespec
        #else
            let time = entry.st_mtim
        #endif
        modifiedAt = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        kind =
            switch entry.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .other
            }
    }

    /// Equal as long as nothing was written to the file.
    var stamp: String { "\(identity.device):\(identity.number):\(size):\(modifiedAt)" }
}
