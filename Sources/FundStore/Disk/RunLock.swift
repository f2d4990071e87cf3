internal import Glibc
import FundCore

/// The lock of runs that take mail into the store: one process at a time has it until `release()`, deinit or its end.
package final class RunLock: Sendable {
    private let lock: FileLock
    /// The process that held it before was killed: `release` empties the file.
    let wasAbandoned: Bool

    /// Lets the next process have it; once.
    package func release() { lock.close(erasing: true) }

    deinit { release() }

    /// Throws `held`, naming the holder.
    init(path: String, owner: FileOwner?, holder: String, waitingUpTo wait: Duration) throws {
        let lock = try FileLock(path: path, owner: owner)
        guard try lock.acquire(waitingUpTo: wait) else { throw Self.refusal(lock) }
        wasAbandoned = (StoreLayout.size(of: path) ?? 0) > 0
        let text = "\(getpid())\n\(time(nil))\n\(holder)\n"
        guard ftruncate(lock.descriptor, 0) == 0 else { throw SpoolError("write", path) }
        let count = text.utf8CString.withUnsafeBytes { pwrite(lock.descriptor, $0.baseAddress, $0.count - 1, 0) }
        guard count == text.utf8.count else { throw SpoolError("write", path) }
        self.lock = lock
    }

    /// For an update of the store's schema: a run of the older version would go on under one that it does not know, and
    /// could not be started again. Who had the lock before still stands in it. Throws `held`.
    static func excludingRuns(at path: String, owner: FileOwner?) throws -> FileLock {
        let lock = try FileLock(path: path, owner: owner)
        guard try lock.acquire(waitingUpTo: .zero) else {
            var error = refusal(lock)
            error.detail = "this version has to update the store first, but \(error.detail)"
            throw error
        }
        return lock
    }

    private static func refusal(_ lock: FileLock) -> StoreError {
        var error = StoreError(.held, "use the store", "another process holds the store")
        var bytes = [UInt8](repeating: 0, count: 1024)
        let count = bytes.withUnsafeMutableBytes { pread(lock.descriptor, $0.baseAddress, $0.count, 0) }
        let lines = String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self).split(separator: "\n")
        guard lines.count >= 3, let start = Int(lines[1]) else { return error }
        error.detail = "the store is held by `fundmail \(lines[2])` (process \(lines[0])) since \(clock(start))"
        error.holder = String(lines[2])
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
