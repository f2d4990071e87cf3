internal import Synchronization

/// What this process knows of a record that it has opened. It keeps no file open.
final class KnownRecord: Sendable {
    let segment: SegmentNumber
    let header: RecordHeader
    let checked = CheckedBlocks()

    init(_ header: RecordHeader, in segment: SegmentNumber) {
        self.header = header
        self.segment = segment
    }

    /// The blocks that hold these bytes of the body, of which there is at least one.
    static func blocks(of range: Range<Int64>) -> Range<Int64> {
        (range.lowerBound / LogFormat.blockBytes)..<((range.upperBound - 1) / LogFormat.blockBytes + 1)
    }
}

/// Which blocks of a record were compared with their checksums by this process, and are in memory since as far as it
/// knows. For any thread.
final class CheckedBlocks: Sendable {
    private static let bits = Int64(UInt64.bitWidth)

    private let words = Mutex<[UInt64]>([])

    func insert(_ block: Int64) {
        let index = Int(block / Self.bits)
        words.withLock { words in
            if words.count <= index { words += [UInt64](repeating: 0, count: index + 1 - words.count) }
            words[index] |= 1 << UInt64(block % Self.bits)
        }
    }

    /// Whether all of these are among them.
    func contain(_ blocks: Range<Int64>) -> Bool {
        words.withLock { words in
            Int((blocks.upperBound - 1) / Self.bits) < words.count
                && blocks.allSatisfy { words[Int($0 / Self.bits)] >> UInt64($0 % Self.bits) & 1 == 1 }
        }
    }

    /// Bytes have left memory: what the disk gives the next time was not checked.
    func removeAll() { words.withLock { $0 = [] } }
}
