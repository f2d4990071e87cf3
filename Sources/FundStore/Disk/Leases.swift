internal import Glibc
import FundCore

/// The tasks that one process at a time does on a store, a lease for each. They are locks of files (flock(2)), which
/// end with their process, so that the next process need not guess whether the one before is still there.
struct Leases: Sendable {
    enum Task {
        /// A run over a mailbox.
        case mailbox(String)
        /// Giving bytes of the log back to the disk.
        case reclaim
        /// Making previews.
        case previews
        /// Handing letters to a server.
        case outbox
        /// Fetching feeds.
        case news
        /// Carrying out transfers between drives and funds.
        case drives
        /// Asking for new tokens of a drive.
        case driveTokens(Drive.ID)
        /// Delivering to webhooks.
        case webhooks
        /// Bringing segments to an object store and back.
        case bucket
    }

    let location: StoreLocation
    let owner: FileOwner?

    private func lock(of task: Task) throws(DiskError) -> FileLock {
        let path =
            switch task {
            case .mailbox(let name): location.lease(of: name)
            case .reclaim: location.reclaimLock
            case .previews: location.previewWorkLock
            case .outbox: location.outboxLock
            case .news: location.newsLock
            case .drives: location.drivesLock
            case .driveTokens(let drive): location.driveTokensLock(of: drive)
            case .webhooks: location.webhooksLock
            case .bucket: location.bucketLock
            }
        return try FileLock(path: path, owner: owner)
    }

    /// Takes a lease; nil when another holder still has it at the end of `wait`. Blocks.
    func take(_ task: Task, waitingUpTo wait: Duration) throws(DiskError) -> Lease? {
        let lock = try lock(of: task)
        return try lock.acquire(waitingUpTo: wait) ? Lease(lock) : nil
    }

    /// Runs `body` while no process gives bytes of the log back to the disk. Throws `held` when one does for long.
    func withoutReclaim<Value>(_ body: () throws -> Value) throws -> Value {
        guard let lease = try take(.reclaim, waitingUpTo: .seconds(60)) else {
            throw StoreError(.held, "keep the log as it is", "another process gives bytes back to the disk")
        }
        defer { lease.end() }
        return try body()
    }
}

/// A lease, until `end()` or deinit.
final class Lease: MailboxLease {
    private let lock: FileLock

    fileprivate init(_ lock: FileLock) { self.lock = lock }

    deinit { end() }

    func end() { lock.close(erasing: true) }
}

// MARK: Mailboxes

extension Leases {
    /// The time in which a run ends that is ending now.
    private static let mailboxWait = Duration.milliseconds(500)

    /// Takes the lease of a mailbox, and writes its holder into the file. Throws `held`, naming the holder.
    func take(mailbox: String, for holder: String) throws -> Lease {
        try DiskDirectory.make(location.leases, isPrivate: true, owner: owner)
        let lock = try lock(of: .mailbox(mailbox))
        guard try lock.acquire(waitingUpTo: Self.mailboxWait) else { throw Self.refusal(lock, mailbox) }
        let text = "\(getpid())\n\(time(nil))\n\(holder)\n"
        guard ftruncate(lock.descriptor, 0) == 0,
            Array(text.utf8).withUnsafeBytes({ SystemCall.writeAll($0, to: lock.descriptor, at: 0) })
        else { throw DiskError("write", lock.path) }
        return Lease(lock)
    }

    private static func refusal(_ lock: FileLock, _ mailbox: String) -> StoreError {
        var error = StoreError(.held, "use the mailbox \(mailbox)", "another process has the mailbox \(mailbox)")
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: lock.descriptor, at: 0) }
        let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n")
        guard lines.count >= 3, let start = Int(lines[1]) else { return error }
        error.detail =
            "the mailbox \(mailbox) is held by `fundmail \(lines[2])` (process \(lines[0])) since \(clock(start))"
        return error
    }

    /// `12:30`, with the date when that was on another day.
    private static func clock(_ seconds: Int) -> String {
        func text(_ format: String, _ seconds: time_t) -> String {
            var (seconds, parts) = (seconds, tm())
            localtime_r(&seconds, &parts)
            var buffer = [CChar](repeating: 0, count: 32)
            let count = strftime(&buffer, buffer.count, format, &parts)
            return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        let isToday = text("%F", seconds) == text("%F", time(nil))
        return text(isToday ? "%H:%M" : "%F %H:%M", seconds)
    }
}
