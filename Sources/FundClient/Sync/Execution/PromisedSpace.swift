internal import Synchronization

/// Disk space that downloads under way will still need: each alone would fit where all together do not.
final class PromisedSpace: Sendable {
    private let bytes = Mutex<Int64>(0)

    /// Promises the bytes of one more file, if all fit.
    /// - Parameter free: bytes that may be written now.
    func promise(_ size: Int64, of free: Int64) -> Promise? {
        let fits = bytes.withLock { promised in
            guard promised + size <= free else { return false }
            promised += size
            return true
        }
        return fits ? Promise(self, size) : nil
    }

    /// Disk space of one file; the part that was not written is free for others when it ends.
    final class Promise: Sendable {
        private let space: PromisedSpace
        private let left: Mutex<Int64>

        fileprivate init(_ space: PromisedSpace, _ size: Int64) {
            self.space = space
            left = Mutex(size)
        }

        deinit { settle(.max) }

        /// Subtracts bytes of the file that are on the disk, or will not come.
        func settle(_ count: Int64) {
            let settled = left.withLock { left in
                let settled = min(left, count)
                left -= settled
                return settled
            }
            space.bytes.withLock { $0 -= settled }
        }
    }
}
