/// The place of a record, by which rows know it.
struct RecordLocation: Hashable, Sendable, CustomStringConvertible {
    var segment: SegmentNumber
    /// Offset of its header, in bytes.
    var offset: Int64
    /// Bytes of all of it, from the header to the last check.
    var count: Int64

    var end: Int64 { offset + count }
    /// A number that puts records into the order in which they stand.
    var order: UInt64 { UInt64(segment.value) << 32 | UInt64(offset / LogFormat.alignment) }

    var description: String { "the record at \(offset) of \(segment)" }
}
