import FundCore

/// The segments of a log, wherever they lie. `LogDirectory` has each as a file, `ObjectSegments` as an object; nothing
/// above the log names the path or the descriptor of a segment. Where this says `DiskError`, segments on other machines
/// throw `StoreError`.
protocol SegmentStore: Sendable {
    /// Numbers of all segments, in ascending order. Throws `DiskError`.
    func segments() throws -> [SegmentNumber]

    /// Opens a segment for reading. Throws `LogDamage` when it is missing or another one stands in its place, and
    /// `DiskError`.
    func read(_ number: SegmentNumber) throws -> any SegmentReader

    /// Takes a segment, so that no process appends to it meanwhile. Nil when another process has it, and for one whose
    /// opening is damaged, unless it is to be removed. Throws as `read`, and `logLost`.
    func hold(_ number: SegmentNumber, for purpose: SegmentPurpose) throws -> (any HeldSegment)?

    /// Marks records of a segment as dead and gives their bytes back. Returns those of which the bytes are on their way
    /// to a client: they are to be given up later. Throws as `read`.
    func giveUp(
        _ records: [(location: RecordLocation, digest: ContentDigest)], in number: SegmentNumber
    ) throws -> [RecordLocation]

    /// Bytes that a segment really takes; 0 when there is none.
    func storedBytes(of number: SegmentNumber) -> Int64

    /// Throws `logLost` where the log is not the one that was opened.
    func requireInPlace() throws
}

/// Purpose for which a process takes a segment.
enum SegmentPurpose {
    case keeping, removal
}

/// An open segment. Bytes are as they stand there: a record compares them with its checksums.
protocol SegmentReader: AnyObject, Sendable {
    var number: SegmentNumber { get }
    /// Random number in each header of a record, see `LogFormat`.
    var salt: UInt64 { get }
    /// Whether its first bytes have changed; its records may be whole.
    var hasDamagedOpening: Bool { get }
    /// Whether its salt is certain. Otherwise bytes that came by mail may be taken for records: see `SaltSearch`.
    var hasProvenSalt: Bool { get }

    /// Size in bytes.
    func size() throws -> Int64

    /// Reads bytes; fewer than asked for only at the end. Throws `LogDamage` when they cannot be read there.
    func bytes(_ count: Int, at offset: Int64) throws -> [UInt8]

    /// Fills a buffer, and returns how many bytes came: fewer than it has room for only at the end. Throws as `bytes`.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int

    /// Fills a buffer from memory alone, and returns how many bytes came; negative where that would have to wait.
    func fillFromMemory(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int

    /// The next bytes that were not given back; nil where there are none. Those that were read as zero bytes.
    func nextData(from offset: Int64) -> Range<Int64>?

    /// Whether all of these bytes are in memory, as it was a moment ago.
    func isInMemory(_ count: Int, at offset: Int64) -> Bool

    /// Descriptor from which bytes can be sent (sendfile(2)); nil where there is none. Their record is held meanwhile.
    var sendingDescriptor: Int32? { get }

    /// Keeps a record's bytes where they are; nil while it is being given up. One that is to be given up later can be
    /// held: look whether it is live when it is held.
    func hold(_ location: RecordLocation) -> RecordHold?
}

/// A segment that no process appends to while this is kept.
protocol HeldSegment: SegmentReader {
    /// Takes it away.
    func remove() throws
}
