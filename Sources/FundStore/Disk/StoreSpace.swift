internal import Glibc
import FundCore
internal import Synchronization

/// The room on the store's disk.
///
/// A part of the disk is kept back in a preallocated file, `reserve`. Uploads and mail are refused before the rest is
/// used up. When the disk is full all the same, the file is given up in steps for the small writes that logins,
/// deletions and purges need. It is filled up again as soon as there is room, and until then what is missing of it
/// does not count as free.
final class StoreSpace: Sendable {
    /// The write-ahead log grows to 8 MiB and one batch more before it is used again from its beginning, and the
    /// database may grow as much at a checkpoint.
    private static let maxReserveBytes: Int64 = 32 << 20
    /// Of a small disk a sixteenth is kept back.
    private static let reserveShare: Int64 = 16
    private static let steps: Int64 = 8

    let claims = UploadClaims()
    private let root: String
    /// Of the file `reserve`; -1 when there can be none.
    private let descriptor: Int32

    /// What statvfs(3) says, in bytes.
    private struct Disk {
        var free: Int64
        /// What is to be kept back on a disk of this size.
        var reserve: Int64
    }

    /// The caller holds the write lock.
    init(layout: StoreLayout, owner: FileOwner?, isReadOnly: Bool) {
        root = layout.root
        descriptor = isReadOnly ? -1 : (try? StoreLayout.open(layout.reserve, owner: owner)) ?? -1
        refill()
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    private var disk: Disk? {
        var status = statvfs()
        guard statvfs(root, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        return Disk(
            free: Int64(clamping: UInt64(status.f_bavail) * unit),
            reserve: min(Self.maxReserveBytes, Int64(clamping: UInt64(status.f_blocks) * unit) / Self.reserveShare))
    }

    /// Bytes that the file `reserve` really has on the disk: one that came back from a backup may be sparse.
    private var held: Int64 {
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else { return 0 }
        return min(Int64(status.st_size), Int64(status.st_blocks) * 512)
    }

    /// Bytes that may be used for anything; below zero when part of the reserve is missing. A disk that cannot be asked
    /// hinders nothing.
    var room: Int64 { disk.map { $0.free - max(0, $0.reserve - held) } ?? .max }

    /// What uploads and mail may take: they leave a little, so that their rows fit without the reserve.
    var intakeRoom: Int64 { disk.map { $0.free - max(0, $0.reserve - held) - $0.reserve / Self.steps } ?? .max }

    /// Bytes that were there and may be taken without asking the disk again, for a moment.
    private struct Grant {
        static let maxAge = Duration.milliseconds(100)
        /// Of the room: what others take meanwhile is no more than the reserve bears.
        static let share: Int64 = 64
        static let maxBytes: Int64 = 8 << 20

        var bytes: Int64 = 0
        var at = ContinuousClock.now
    }

    private let grant = Mutex(Grant())

    /// Throws when so many bytes of mail do not fit. The claims of uploads under way do not count: mail comes first.
    func require(_ bytes: Int64) throws(SpoolError) {
        let isGranted = grant.withLock { grant in
            guard grant.bytes >= bytes, ContinuousClock.now - grant.at < Grant.maxAge else { return false }
            grant.bytes -= bytes
            return true
        }
        guard !isGranted else { return }
        let room = intakeRoom
        guard room >= bytes else { throw SpoolError("keep room for others in", root, code: ENOSPC) }
        let more = min((room - bytes) / Grant.share, Grant.maxBytes)
        grant.withLock { $0 = Grant(bytes: more) }
    }

    /// Gives a step of the reserve to what is written next. False when none is left. The caller holds the write lock.
    func giveUpStep() -> Bool {
        let held = held
        guard held > 0, let disk else { return false }
        return ftruncate(descriptor, Int(max(0, held - max(disk.reserve / Self.steps, 4096)))) == 0
    }

    /// Fills the reserve up again when that leaves at least as much free. The caller holds the write lock.
    func refill() {
        let held = held
        guard descriptor >= 0, let disk, held < disk.reserve, disk.free >= 2 * (disk.reserve - held) else { return }
        // A limit on the size of files or a quota may stand in the way: then there is less of a reserve, or none.
        if posix_fallocate(descriptor, 0, Int(disk.reserve)) != 0 { ftruncate(descriptor, Int(held)) }
    }

    /// Whether `refill` has something to do.
    var isReserveShort: Bool {
        guard descriptor >= 0, let disk else { return false }
        return held < disk.reserve
    }
}
