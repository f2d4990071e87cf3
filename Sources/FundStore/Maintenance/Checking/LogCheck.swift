import FundCore

/// Compares the records of a log with their own checksums, without any row.
enum LogCheck {
    /// Damage of a segment, one sentence each, and the count of records that are whole.
    ///
    /// - Parameters:
    ///   - end: of what is looked at; nil for all.
    ///   - isKnown: whether a record was compared already.
    static func damages(
        in number: SegmentNumber, _ segments: any SegmentStore, upTo end: Int64? = nil,
        isKnown: (RecordLocation) -> Bool = { _ in false }
    ) throws -> (damages: [String], messages: Int, blobs: Int, bytes: Int64) {
        var found = (damages: [String](), messages: 0, blobs: 0, bytes: Int64(0))
        do {
            var scan = try LogScan(number, in: segments, upTo: end)
            if scan.hasDamagedOpening { found.damages.append("its first bytes have changed") }
            while let entry = try scan.next() {
                switch entry {
                case .damage(let damage): found.damages.append(damage.description)
                case .record(let record, let state):
                    let label = record.header.label
                    guard state != .dead, label.kind != .commit, !isKnown(record.location) else { continue }
                    do {
                        try record.verifyBlocks()
                        if state == .changed { found.damages.append(record.damage(.state).description) }
                        if label.kind == .message { found.messages += 1 } else { found.blobs += 1 }
                        found.bytes += label.contentBytes
                    } catch let damage as LogDamage { found.damages.append(damage.description) }
                }
            }
        } catch let damage as LogDamage { found.damages.append(damage.description) } catch let error as DiskError {
            found.damages.append("\(error)")
        }
        return found
    }
}
