import FundCore

/// The header of a record, which stands before its body; see `LogFormat`.
struct RecordHeader: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case message = 1, blob
        /// `CommitMark`.
        case commit
    }

    enum Encoding: UInt8, Sendable {
        /// The body is the content.
        case plain = 1
        /// The body is a `MessageComposition`.
        case composed
        /// The body is either of the two, packed, see `PackedBody`.
        case packed, packedComposed

        /// Whether the content repeats others of the log.
        var isComposed: Bool { self == .composed || self == .packedComposed }
        var isPacked: Bool { self == .packed || self == .packedComposed }
        /// The encoding of the same body, packed.
        var whenPacked: Encoding { isComposed ? .packedComposed : .packed }
    }

    /// The facts of a record that do not depend on where it stands.
    struct Label: Hashable, Sendable {
        var kind: Kind
        var encoding = Encoding.plain
        /// SHA-256 of the content. For a commit mark see `CommitMark`, also for `contentBytes`.
        var digest: ContentDigest
        var contentBytes: Int64
        /// When the message was received, or the blob came.
        var time: Timestamp
        /// Place where a message came from, or a name that a blob had. Cut to `LogFormat.maxOriginBytes`.
        var origin = ""
    }

    enum State: Sendable {
        case live
        /// Nothing refers to it; its body may be a hole.
        case dead
        /// Neither of the two stands there: the bytes have changed.
        case changed

        /// The word of a state; one that has changed is written as `live`.
        var bytes: [UInt8] { Array((self == .dead ? "deaddead" : "livelive").utf8) }

        /// The bytes of `live` as they are read into an integer.
        static let liveWord = State.live.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        private static let deadWord = State.dead.bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        /// The two words differ in 16 bits: one that differs from `dead` in fewer than half of them was `dead`.
        private static let toldBits = (liveWord ^ deadWord).nonzeroBitCount / 2

        /// - Parameter word: its bytes as they are read into an integer.
        init(word: UInt64) {
            if word == Self.liveWord {
                self = .live
            } else {
                // A changed bit does not bring back a record that was given up.
                self = (word ^ Self.deadWord).nonzeroBitCount < Self.toldBits ? .dead : .changed
            }
        }
    }

    /// Whether its bytes may be sent from where they stand (`LogRecord.region`). Of smaller records copies are sent,
    /// and their bytes can be given back to the disk at any time.
    var canBeSent: Bool { label.encoding == .plain && bodyBytes >= LogFormat.blockBytes }

    private(set) var label: Label
    /// Salt of the segment.
    private(set) var salt: UInt64
    /// Offset in the segment.
    private(set) var offset: Int64
    private(set) var bodyBytes: Int64
    private let originBytes: Int

    init(_ label: Label, bodyBytes: Int64, salt: UInt64, offset: Int64) {
        var label = label
        label.origin = label.origin.prefix(bytes: LogFormat.maxOriginBytes)
        self.label = label
        self.bodyBytes = bodyBytes
        self.salt = salt
        self.offset = offset
        originBytes = label.origin.utf8.count
    }

    // MARK: Where its parts stand

    /// Bytes of the header and the origin.
    var headBytes: Int64 { Int64(LogFormat.headerBytes) + LogFormat.padded(Int64(originBytes)) }
    var bodyOffset: Int64 { offset + headBytes }
    var checksOffset: Int64 { bodyOffset + LogFormat.padded(bodyBytes) }
    var blockCount: Int64 { LogFormat.blockCount(ofBody: bodyBytes) }
    /// Bytes of the whole record.
    var byteCount: Int64 { checksOffset - offset + blockCount * LogFormat.checkBytes }
    var end: Int64 { offset + byteCount }

    func location(in segment: SegmentNumber) -> RecordLocation {
        RecordLocation(segment: segment, offset: offset, count: byteCount)
    }

    /// Range of a block within the body with its zero bytes.
    func block(_ index: Int64) -> Range<Int64> {
        let start = index * LogFormat.blockBytes
        return start..<min(start + LogFormat.blockBytes, LogFormat.padded(bodyBytes))
    }

    /// Checksum of a block with its zero bytes, as it stands at this location.
    func checksum(ofBlock index: Int64, _ bytes: UnsafeRawBufferPointer) -> UInt64 {
        let seed = salt &+ UInt64(bitPattern: offset) &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(bitPattern: index)
        return LogFormat.checksum(bytes, seed: seed)
    }

    // MARK: Bytes

    /// Header and origin of a record that is live.
    func bytes() -> [UInt8] {
        var bytes = LogFormat.recordMagic
        bytes.reserveCapacity(Int(headBytes))
        bytes.append(label.kind.rawValue)
        bytes.append(label.encoding.rawValue)
        bytes.append(integer: UInt16(originBytes))
        bytes.append(integer: UInt32(0))
        bytes.append(integer: salt)
        bytes.append(integer: offset)
        bytes.append(integer: bodyBytes)
        bytes.append(integer: label.contentBytes)
        label.digest.withUnsafeBytes { bytes.append(contentsOf: $0) }
        bytes.append(integer: label.time.rawValue)
        var origin = Array(label.origin.utf8)
        origin.pad()
        let checksum = (bytes + origin).withUnsafeBytes { LogFormat.checksum($0) }
        bytes.append(integer: checksum)
        bytes += State.live.bytes
        return bytes + origin
    }

    /// Offsets at which a header may begin in these bytes of a segment, which begin at a multiple of the alignment.
    static func candidates(in bytes: [UInt8]) -> [Int] {
        bytes.withUnsafeBytes { bytes in
            guard bytes.count >= magicBytes else { return [] }
            return stride(from: 0, through: bytes.count - magicBytes, by: Int(LogFormat.alignment)).filter {
                bytes.loadUnaligned(fromByteOffset: $0, as: UInt64.self) == magicWord
            }
        }
    }

    /// Bytes of the word that says the state.
    static let stateBytes = MemoryLayout<UInt64>.size

    private static let magicBytes = LogFormat.recordMagic.count
    /// The magic as it is read into an integer.
    private static let magicWord = LogFormat.recordMagic.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }

    /// Reads header and origin. Nil unless all of it but the state is as it was written.
    static func read(_ bytes: UnsafeRawBufferPointer) -> (header: RecordHeader, state: State)? {
        guard bytes.count >= LogFormat.headerBytes, bytes.starts(with: LogFormat.recordMagic) else { return nil }
        let originBytes = Int(bytes.integer(at: 10, as: UInt16.self))
        let headBytes = LogFormat.headerBytes + Int(LogFormat.padded(Int64(originBytes)))
        guard originBytes <= LogFormat.maxOriginBytes, bytes.count >= headBytes else { return nil }
        let covered = Array(bytes[..<LogFormat.checksumOffset]) + Array(bytes[LogFormat.headerBytes..<headBytes])
        let checksum = bytes.integer(at: LogFormat.checksumOffset, as: UInt64.self)
        guard covered.withUnsafeBytes({ LogFormat.checksum($0) }) == checksum else { return nil }
        let state = State(word: bytes.loadUnaligned(fromByteOffset: LogFormat.stateOffset, as: UInt64.self))
        let (bodyBytes, contentBytes) = (bytes.integer(at: 32, as: Int64.self), bytes.integer(at: 40, as: Int64.self))
        guard let kind = Kind(rawValue: bytes[8]), let encoding = Encoding(rawValue: bytes[9]),
            (0...LogFormat.maxBodyBytes).contains(bodyBytes), (0...LogFormat.maxBodyBytes).contains(contentBytes),
            let digest = ContentDigest(bytes: bytes[48..<80])
        else { return nil }
        let origin = UnsafeRawBufferPointer(
            rebasing: bytes[LogFormat.headerBytes..<(LogFormat.headerBytes + originBytes)])
        let label = Label(
            kind: kind, encoding: encoding, digest: digest, contentBytes: contentBytes,
            time: Timestamp(bytes.integer(at: 80, as: Int64.self)), origin: String(decoding: origin, as: UTF8.self))
        let header = RecordHeader(
            label, bodyBytes: bodyBytes, salt: bytes.integer(at: 16, as: UInt64.self),
            offset: bytes.integer(at: 24, as: Int64.self))
        // A text that is cut in the middle of a character does not come back with as many bytes.
        guard header.originBytes == originBytes, header.offset >= LogFormat.openingBytes else { return nil }
        return (header, state)
    }
}
