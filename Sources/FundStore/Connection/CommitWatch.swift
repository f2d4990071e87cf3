internal import CLinux
internal import Dispatch
import FundCore
internal import Glibc

/// Hears of the commits of other processes: each sets the times of `write.lock` when it has committed (`FileLock`), and
/// inotify(7) tells those who look at the file. The write-ahead log would not do: it is written before its content is
/// a commit. Costs nothing while nothing is committed.
///
/// @unchecked: Dispatch's objects may be used by every thread, and the only property is constant.
final class CommitWatch: @unchecked Sendable {
    /// Interval of looks where inotify is not to be had, perhaps because the user has too many watches.
    private static let pause = DispatchTimeInterval.seconds(1)

    private let source: any DispatchSourceProtocol

    init(lockFile: String, raising signal: Signal) {
        let queue = DispatchQueue(label: "fundmail.store.commits")
        if let descriptor = Self.watch(lockFile) {
            source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
            source.setEventHandler {
                // The content of the events is of no interest; equal ones in a row are one.
                withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
                    while read(descriptor, bytes.baseAddress, bytes.count) > 0 {}
                }
                signal.raise()
            }
            source.setCancelHandler { close(descriptor) }
        } else {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.schedule(deadline: .now() + Self.pause, repeating: Self.pause)
            timer.setEventHandler { signal.raise() }
            source = timer
        }
        source.activate()
    }

    deinit { source.cancel() }

    /// A descriptor of inotify(7); nil when the file cannot be watched.
    private static func watch(_ path: String) -> Int32? {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { return nil }
        guard inotify_add_watch(descriptor, path, UInt32(IN_ATTRIB)) >= 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
