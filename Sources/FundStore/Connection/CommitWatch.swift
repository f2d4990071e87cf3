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
    private let source: any DispatchSourceRead

    /// Throws `SpoolError` when the file cannot be watched, perhaps because the user has too many watches.
    init(lockFile: String, raising signal: Signal) throws(SpoolError) {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw SpoolError("watch", lockFile) }
        guard inotify_add_watch(descriptor, lockFile, UInt32(IN_ATTRIB)) >= 0 else {
            let error = SpoolError("watch", lockFile)
            close(descriptor)
            throw error
        }
        source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor, queue: DispatchQueue(label: "fundmail.store.commits"))
        source.setEventHandler {
            // What the events say is of no interest; equal ones in a row are one.
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { bytes in
                while read(descriptor, bytes.baseAddress, bytes.count) > 0 {}
            }
            signal.raise()
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    deinit { source.cancel() }
}
