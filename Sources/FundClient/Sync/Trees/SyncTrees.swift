/// Kind of a thing in a tree.
enum SyncKind: Int, Sendable, Hashable, Codable {
    case fund
    case folder
    case file

    var isFile: Bool { self == .file }
}

/// Status of a local file by which it is known to be unchanged without being read.
struct Fingerprint: Sendable, Hashable, Codable {
    var inode: UInt64
    /// Size in bytes; 0 for folders.
    var size: Int64
    /// Nanoseconds since 1970, as programs say; 0 for folders.
    var modified: Int64
    /// Nanoseconds since 1970, as the system says; changes with each rename, too. 0 for folders.
    var changed: Int64

    init(inode: UInt64, size: Int64 = 0, modified: Int64 = 0, changed: Int64 = 0) {
        (self.inode, self.size, self.modified, self.changed) = (inode, size, modified, changed)
    }

    init(_ status: FileStatus) {
        let isFile = status.kind == .file
        inode = status.inode
        size = isFile ? status.size : 0
        modified = isFile ? status.modified : 0
        changed = isFile ? status.changed : 0
    }

    /// Whether it is the same file with the same bytes, although it may have got another name.
    func isSameContent(as other: Fingerprint) -> Bool {
        inode == other.inode && size == other.size && modified == other.modified
    }
}

/// Something in the kept folder.
struct LocalNode: Sendable, Hashable {
    /// An index into `LocalTree.nodes`; nil at the top.
    var parent: Int?
    /// Name in the file system's form, which may be any of Unicode.
    var name: String
    var kind: SyncKind
    var fingerprint: Fingerprint
    /// Digest of a file; nil where it was not read.
    var digest: Digest?
    /// Why it is left alone this time.
    var hold: Hold?

    /// Why something local is left alone.
    enum Hold: Sendable, Hashable {
        /// It changed a moment ago, and may not be complete.
        case unsettled
        /// Not a file or a folder, or has a name that cannot be sent: for people. It takes no part.
        case refused(String)
        /// It cannot be read, so it is not known whether both sides have the same: for people.
        case unreadable(String)
    }
}

/// Things in the kept folder. Parents stand before children.
struct LocalTree: Sendable {
    var nodes: [LocalNode] = []
    var unnamed: [UnnamedNode] = []
}

/// A thing in the kept folder whose name is no text.
struct UnnamedNode: Sendable, Hashable {
    /// For people.
    var path: String
    var reason: String
    /// Inodes of the thing and of all below.
    var inodes: Set<UInt64>
}

/// Identity of a thing on the server.
struct RemoteKey: Sendable, Hashable {
    var kind: SyncKind
    var id: Int64
}

/// Something on the server.
struct RemoteNode: Sendable, Hashable {
    var key: RemoteKey
    /// Nil at the top.
    var parent: RemoteKey?
    var name: String
    /// Digest of a file; nil for folders.
    var digest: Digest?
    /// Size in bytes; 0 for folders.
    var size: Int64 = 0
    /// Seconds since 1970.
    var modified: Int64 = 0

    var kind: SyncKind { key.kind }
}

/// Things on the server, in any order.
struct RemoteTree: Sendable {
    var nodes: [RemoteNode] = []
}

/// Something as both sides had it when they were in step last.
struct BaseRow: Sendable, Hashable {
    typealias ID = Int64

    var id: ID
    /// Nil at the top.
    var parent: ID?
    /// Name on the server.
    var name: String
    var remote: RemoteKey
    /// Digest of a file; nil for folders.
    var digest: Digest?
    var fingerprint: Fingerprint

    var kind: SyncKind { remote.kind }
}
