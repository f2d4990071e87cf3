internal import Glibc
import FundCore

/// The lease of a mailbox: one run at a time has it, until `end()`, deinit or the end of its process (flock(2)), so
/// that the next run need not guess whether the one before is still there.
final class MailboxLock: MailboxLease {
    private let lock: FileLock

    func end() { lock.close(erasing: true) }

    deinit { end() }

    /// Throws `held`, naming the holder, and `DiskError`.
    init(on mailbox: String, in location: StoreLocation, owner: FileOwner?, holder: String) throws {
        try DiskDirectory.make(location.leases, isPrivate: true, owner: owner)
        let lock = try FileLock(path: location.lease(of: mailbox), owner: owner)
        guard try lock.acquire(waitingUpTo: Self.wait) else { throw Self.refusal(lock, mailbox) }
        let text = "\(getpid())\n\(time(nil))\n\(holder)\n"
        guard ftruncate(lock.descriptor, 0) == 0,
            Array(text.utf8).withUnsafeBytes({ SystemCall.writeAll($0, to: lock.descriptor, at: 0) })
        else { throw DiskError("write", lock.path) }
        self.lock = lock
    }

    /// A run that ends just now.
    private static let wait = Duration.milliseconds(500)

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
