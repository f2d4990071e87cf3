internal import Glibc
import FundCore

/// A preallocated file of the store whose bytes are kept back on the disk until something needs them.
final class ReserveFile: Sendable {
    /// -1 when there can be none.
    private let descriptor: Int32

    init(_ path: String, owner: FileOwner?) { descriptor = (try? DiskFile.open(path, owner: owner)) ?? -1 }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// Bytes that it really has on the disk: one that came back from a backup may be sparse.
    var held: Int64 {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0 }
        return min(Int64(status.st_size), DiskFile.diskBytes(status))
    }

    /// Gives bytes back to the disk, as far as more than `rest` are left. False when no more are.
    func giveUp(_ bytes: Int64, leaving rest: Int64 = 0) -> Bool {
        let held = held
        return held > rest && ftruncate(descriptor, Int(max(rest, held - bytes))) == 0
    }

    /// Whether it has fewer bytes than these, and can have them.
    func isShort(of bytes: Int64) -> Bool { descriptor >= 0 && held < bytes }

    /// Takes what is missing of these bytes, when that leaves at least as much free.
    func fill(to bytes: Int64, free: Int64) {
        let held = held
        guard descriptor >= 0, held < bytes, free >= 2 * (bytes - held) else { return }
        // A limit on the size of files or a quota may stand in the way: then there is less of a reserve, or none.
        if posix_fallocate(descriptor, 0, Int(bytes)) != 0 { ftruncate(descriptor, Int(held)) }
    }
}
