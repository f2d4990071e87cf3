internal import Synchronization

/// Keeps the bytes of a record where they are while they are sent from there: `SegmentFile.giveUp`, of this or another
/// process, leaves them to a later call. The kernel takes the lock back when the process ends.
final class RecordHold: Sendable {
    private let segment: SegmentFile
    private let location: RecordLocation

    /// Nil while the record is being given up. One that is to be given up later can be held: look whether it is live
    /// when it is held.
    static func take(_ location: RecordLocation, in segment: SegmentFile) -> RecordHold? {
        let isHeld = segment.holds.withLock { holds in
            // A file has one lock for all that hold a record.
            if holds[location.offset] == nil,
                !LinuxFile.lock(.shared, segment.descriptor, at: location.offset, count: location.count)
            {
                return false
            }
            holds[location.offset, default: 0] += 1
            return true
        }
        return isHeld ? RecordHold(location, in: segment) : nil
    }

    private init(_ location: RecordLocation, in segment: SegmentFile) {
        self.location = location
        self.segment = segment
    }

    deinit {
        segment.holds.withLock { holds in
            let rest = (holds[location.offset] ?? 1) - 1
            holds[location.offset] = rest > 0 ? rest : nil
            guard rest == 0 else { return }
            _ = LinuxFile.lock(.none, segment.descriptor, at: location.offset, count: location.count)
        }
    }
}
