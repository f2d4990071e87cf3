import FundCore

/// Damage: the bytes of the log are not those that were written.
struct LogDamage: Error, Hashable, Sendable, CustomStringConvertible {
    enum Kind: Hashable, Sendable {
        case missingSegment
        /// Something else than a file stands in the segment's place.
        case noFile(DiskFile.Kind)
        /// The segment's first bytes are not those of a segment of this number.
        case opening
        /// No header of a record stands there, or not as it was written.
        case header
        /// A whole record, but another than the one that was asked for.
        case otherRecord
        /// Nothing refers to it since some time: its bytes may be gone.
        case dead
        /// The word that says whether it is needed has changed. All else may be whole.
        case state
        /// The disk cannot read bytes there (EIO).
        case unreadable
        /// The segment ends within the record.
        case cutOff
        /// Bytes of this block, or its checksum, have changed.
        case block(Int64)
        /// The content has another SHA-256 than its header says.
        case content
        /// A message repeats this content, of which the log has no record.
        case missingContent(ContentDigest)
    }

    var kind: Kind
    var segment: SegmentNumber
    /// Offset of the record, in bytes.
    var offset: Int64

    init(_ kind: Kind, _ segment: SegmentNumber, _ offset: Int64) {
        (self.kind, self.segment, self.offset) = (kind, segment, offset)
    }

    /// Whether there is no file of the segment.
    var isMissingSegment: Bool {
        if case .noFile = kind { true } else { kind == .missingSegment }
    }

    var description: String {
        switch kind {
        case .missingSegment: "\(segment.fileName) is missing"
        case .noFile(.link):
            "\(segment.fileName) is a symbolic link, which is not followed: put the file itself in its place"
        case .noFile(let kind): "\(segment.fileName) is \(kind), not a segment"
        case .opening where segment.value == 0: "it does not begin as a segment of a log"
        case .opening: "\(segment.fileName) is no segment of that number"
        case .header: "there is no whole header at \(offset) of \(segment.fileName)"
        case .otherRecord: "another record stands at \(offset) of \(segment.fileName)"
        case .dead: "the record at \(offset) of \(segment.fileName) was given up"
        case .state: "the state of the record at \(offset) of \(segment.fileName) has changed"
        case .unreadable: "the disk cannot read \(segment.fileName) at \(offset)"
        case .cutOff: "\(segment.fileName) ends within the record at \(offset)"
        case .block(let index): "block \(index) of the record at \(offset) of \(segment.fileName) has changed"
        case .missingContent(let digest):
            "the message at \(offset) of \(segment.fileName) repeats \(digest), which is missing"
        case .content: "the record at \(offset) of \(segment.fileName) has another content than its header says"
        }
    }
}
