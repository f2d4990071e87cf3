internal import Synchronization

/// A record that this process has opened, without its file: the header, and the blocks that were checked.
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
///
/// The kernel may have dropped a block from memory, and a backup may have read it again since: no system call tells.
/// That does not happen to what is in use, so that the marks of a record end when it was not asked for in a while.
final class CheckedBlocks: Sendable {
    private static let bits = Int64(UInt64.bitWidth)

    private struct State {
        var words: [UInt64] = []
        var usedAt = ContinuousClock.now
    }

    private let state = Mutex(State())
    private let maxIdle: Duration

    init(maxIdle: Duration = .seconds(10)) { self.maxIdle = maxIdle }

    func insert(_ block: Int64) {
        let index = Int(block / Self.bits)
        state.withLock { state in
            forgetIfIdle(&state)
            let missing = index + 1 - state.words.count
            if missing > 0 { state.words += [UInt64](repeating: 0, count: missing) }
            state.words[index] |= 1 << UInt64(block % Self.bits)
        }
    }

    /// Whether all of these are among them.
    func contain(_ blocks: Range<Int64>) -> Bool {
        state.withLock { state in
            forgetIfIdle(&state)
            return Int((blocks.upperBound - 1) / Self.bits) < state.words.count
                && blocks.allSatisfy { state.words[Int($0 / Self.bits)] >> UInt64($0 % Self.bits) & 1 == 1 }
        }
    }

    /// Bytes have left memory: what the disk gives the next time was not checked.
    func removeAll() { state.withLock { $0.words = [] } }

    private func forgetIfIdle(_ state: inout State) {
        let now = ContinuousClock.now
        if now - state.usedAt > maxIdle { state.words = [] }
        state.usedAt = now
    }
}
