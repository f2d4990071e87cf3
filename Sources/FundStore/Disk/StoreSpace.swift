internal import Glibc
import FundCore
internal import Synchronization

/// The room on the store's disk.
///
/// A part of the disk is kept back in a preallocated file, `reserve`. Uploads and mail are refused before the rest is
/// used up. When the disk is full all the same, the file is given up in steps for the small writes that logins,
/// deletions and purges need. It is filled up again as soon as there is room, and until then what is missing of it
/// does not count as free. A last part, in the file `reserve.last`, is for locking a user out alone, and for opening
/// the store to do that.
final class StoreSpace: Sendable {
    /// The write-ahead log grows to 8 MiB and one batch more before it is used again from its beginning, and the
    /// database may grow as much at a checkpoint.
    private static let maxReserveBytes: Int64 = 32 << 20
    /// A sixteenth of a small disk is kept back.
    private static let reserveShare: Int64 = 16
    private static let steps: Int64 = 8
    /// Bytes of a step at least: one page of the database.
    private static let minStepBytes: Int64 = 4096
    /// Upper bound of `reserve.last`: some transactions of ten pages, and what SQLite makes beside a database that is
    /// opened.
    private static let maxLastBytes: Int64 = 256 << 10

    let claims = UploadClaims()
    private let root: String
    /// Nil when the store is open for reading only.
    private let reserve: ReserveFile?
    private let last: ReserveFile?

    /// Sizes of the disk by statvfs(3), in bytes.
    private struct Disk {
        var free: Int64
        /// Bytes to be kept back on a disk of this size.
        var reserve: Int64
    }

    /// The caller holds the write lock.
    init(location: StoreLocation, owner: FileOwner?, isReadOnly: Bool) {
        root = location.root
        reserve = isReadOnly ? nil : ReserveFile(location.reserve, owner: owner)
        last = isReadOnly ? nil : ReserveFile(location.lastReserve, owner: owner)
        refill()
    }

    private var disk: Disk? {
        var status = statvfs()
        guard statvfs(root, &status) == 0 else { return nil }
        let unit = UInt64(status.f_frsize)
        return Disk(
            free: Int64(clamping: UInt64(status.f_bavail) * unit),
            reserve: min(Self.maxReserveBytes, Int64(clamping: UInt64(status.f_blocks) * unit) / Self.reserveShare))
    }

    private var held: Int64 { reserve?.held ?? 0 }
    /// Bytes that `reserve.last` has.
    var lastHeld: Int64 { last?.held ?? 0 }
    /// Bytes that the disk has left for the next write, whatever is kept back.
    var free: Int64 { disk?.free ?? .max / 2 }

    /// Bytes that may be used for anything; below zero when part of the reserve is missing. A disk that cannot be asked
    /// hinders nothing.
    var room: Int64 { disk.map { $0.free - max(0, $0.reserve - held) } ?? .max }

    /// Bytes that uploads and mail may take: they leave a little, so that their rows fit without the reserve.
    var intakeRoom: Int64 { disk.map { $0.free - max(0, $0.reserve - held) - $0.reserve / Self.steps } ?? .max }

    /// Bytes that were there and may be taken without asking the disk again, for a moment.
    private struct Grant {
        static let maxAge = Duration.milliseconds(100)
        /// Divisor of the room: the rest that others take meanwhile is no more than the reserve bears.
        static let share: Int64 = 64
        static let maxBytes: Int64 = 8 << 20

        var bytes: Int64 = 0
        var at = ContinuousClock.now
    }

    private let grant = Mutex(Grant())

    /// Throws when these bytes of mail do not fit. The claims of uploads under way do not count: mail comes first.
    func require(_ bytes: Int64) throws(DiskError) {
        let isGranted = grant.withLock { grant in
            guard grant.bytes >= bytes, ContinuousClock.now - grant.at < Grant.maxAge else { return false }
            grant.bytes -= bytes
            return true
        }
        guard !isGranted else { return }
        let room = intakeRoom
        guard room >= bytes else { throw DiskError("keep room for others in", root, code: ENOSPC) }
        let more = min((room - bytes) / Grant.share, Grant.maxBytes)
        grant.withLock { $0 = Grant(bytes: more) }
    }

    /// Gives a step of the reserve to what is written next. False when none is left. The caller holds the write lock.
    func giveUpStep() -> Bool {
        guard let reserve, let disk else { return false }
        return reserve.giveUp(max(disk.reserve / Self.steps, Self.minStepBytes))
    }

    /// Gives up a step of the last part, for locking a user out or for opening the store, which leaves half of it.
    /// False when none is left. The caller holds the write lock.
    func giveUpLastStep(isOpening: Bool = false) -> Bool {
        guard let last, let disk else { return false }
        let all = lastBytes(of: disk)
        return last.giveUp(max(all / 4, Self.minStepBytes), leaving: isOpening ? all / 2 : 0)
    }

    private func lastBytes(of disk: Disk) -> Int64 { min(Self.maxLastBytes, disk.reserve / Self.steps) }

    /// Fills the reserve up again when that leaves at least as much free. The caller holds the write lock.
    func refill() {
        if let disk { last?.fill(to: lastBytes(of: disk), free: disk.free) }
        if let disk { reserve?.fill(to: disk.reserve, free: disk.free) }
    }

    /// Whether `refill` has something to do.
    var isReserveShort: Bool {
        guard let reserve, let last, let disk else { return false }
        return reserve.isShort(of: disk.reserve) || last.isShort(of: lastBytes(of: disk))
    }
}
