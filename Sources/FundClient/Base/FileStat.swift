/// What the system knows of a file without its bytes.
struct FileStat: Sendable, Hashable {
    /// Which file it is, whatever its name.
    struct Identity: Sendable, Hashable {
        var device: UInt64
        var number: UInt64
    }

    var identity: Identity
    var kind: FileCalls.Status.Kind
    /// In bytes.
    var size: Int64
    /// When its bytes changed last, in nanoseconds since 1970, as programs say.
    var modifiedAt: Int64
    /// When anything of it changed last, in nanoseconds since 1970, as the system says.
    var changedAt: Int64

    init(_ status: FileCalls.Status) {
        identity = Identity(device: status.device, number: status.inode)
        (kind, size) = (status.kind, status.size)
        (modifiedAt, changedAt) = (status.modified, status.changed)
    }

    /// Equal as long as nothing was written to the file.
    var stamp: String { "\(identity.device):\(identity.number):\(size):\(modifiedAt):\(changedAt)" }
}
