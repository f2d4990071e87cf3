import FundCore

/// Bytes that were checked before and are in memory since: they are not checked again, and nothing here waits for the
/// disk. What has left memory is checked again when it is read the next time.
///
/// A record that is given up is marked as dead before its bytes go (`SegmentFile.giveUp`): what was read of one that is
/// live afterwards is right.
extension LogRecord {
    /// Fills `buffer` with the content from `offset` on. False where that cannot be: then it holds nothing.
    func readChecked(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        guard isChecked(offset..<(offset + Int64(buffer.count))) else { return false }
        let count = segment.fillFromMemory(buffer, at: header.bodyOffset + offset)
        guard count == buffer.count else {
            known.checked.removeAll()
            return false
        }
        return isLive
    }

    /// Place of this part of the content; nil where that cannot be.
    func region(_ range: Range<Int64>) -> StoredRegion? {
        guard header.canBeSent, isChecked(range), let descriptor = segment.sendingDescriptor else { return nil }
        let offset = header.bodyOffset + range.lowerBound
        guard segment.isInMemory(range.count, at: offset) else {
            known.checked.removeAll()
            return nil
        }
        guard let hold = segment.hold(location), isLive else { return nil }
        return StoredRegion(descriptor: descriptor, offset: offset, count: range.count, owner: hold)
    }

    private func isChecked(_ range: Range<Int64>) -> Bool {
        !range.isEmpty && range.lowerBound >= 0 && range.upperBound <= header.bodyBytes
            && header.label.encoding == .plain && known.checked.contain(KnownRecord.blocks(of: range))
    }

    /// False as well when that is not in memory.
    private var isLive: Bool {
        var state: UInt64 = 0
        let count = withUnsafeMutableBytes(of: &state) {
            segment.fillFromMemory($0, at: header.offset + Int64(LogFormat.stateOffset))
        }
        return count == MemoryLayout<UInt64>.size && state == RecordHeader.State.liveWord
    }
}
