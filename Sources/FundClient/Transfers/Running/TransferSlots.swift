internal import Synchronization

/// Limit of transfers at once in a process, on all servers together.
public final class TransferSlots: Sendable {
    private let free: Mutex<Int>

    /// - Parameter count: at least 1.
    public init(_ count: Int) { free = Mutex(max(count, 1)) }

    /// Takes up to so many; returns how many.
    func take(_ wanted: Int) -> Int {
        free.withLock { free in
            let count = max(min(wanted, free), 0)
            free -= count
            return count
        }
    }

    func give(_ count: Int) { free.withLock { $0 += count } }
}
