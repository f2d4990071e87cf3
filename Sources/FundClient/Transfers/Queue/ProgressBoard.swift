internal import Synchronization

/// Progress of the transfers of this process at this moment.
final class ProgressBoard: Sendable {
    struct Entry: Sendable {
        var bytes: Int64 = 0
        var size: Int64?
        var rate = RateMeter()
    }

    private let entries = Mutex<[TransferID: Entry]>([:])

    func begin(_ id: TransferID, size: Int64?) {
        entries.withLock { $0[id] = Entry(size: size) }
    }

    func end(_ id: TransferID) { entries.withLock { $0[id] = nil } }

    /// Sets the bytes that were there before; they are no part of the rate.
    func set(_ id: TransferID, bytes: Int64, size: Int64?) {
        entries.withLock { entries in
            entries[id]?.bytes = bytes
            if let size { entries[id]?.size = size }
        }
    }

    /// Adds bytes that came or went.
    func add(_ id: TransferID, _ count: Int) {
        entries.withLock { entries in
            entries[id]?.bytes += Int64(count)
            entries[id]?.rate.add(count, at: .now)
        }
    }

    /// The meter of one transfer.
    func meter(_ id: TransferID) -> TransferMeter {
        TransferMeter {
            self.set(id, bytes: $0, size: $1)
        } add: {
            self.add(id, $0)
        }
    }

    var all: [TransferID: Entry] { entries.withLock { $0 } }
}
