import CGMime
import CLinux
internal import Glibc
import FundCore

/// GMime's tree of a message: owns the top object; the pointers of its parts live as long as it.
///
/// GMime reads the message as a MIME part, not as a message: it then leaves the address fields and the subject alone.
/// Their parsers recurse for each nested group, which overflows the stack, and `HeaderBlock` is read in their place.
final class ParsedTree {
    let source: RawSource
    let top: UnsafeMutablePointer<GMimeObject>
    /// Difference between positions in the file and GMime's offsets.
    let shift: Int64
    private let stream: UnsafeMutablePointer<GMimeStream>

    /// Nil when GMime finds nothing.
    init?(_ source: RawSource, _ scanned: PrescanResult) {
        let start = source.range.lowerBound + scanned.headerOffset
        if let memory = source.memory {
            let skipped = Int(scanned.headerOffset)
            // Copies the bytes, which costs less than GMime's reads from a file would.
            let bytes = memory.bindMemory(to: CChar.self)
            guard
                let made = g_mime_stream_mem_new_with_buffer(
                    bytes.baseAddress.map { $0 + skipped }, bytes.count - skipped)
            else { return nil }
            (stream, shift) = (made, start)
        } else {
            guard let file = source.file,
                let made = g_mime_stream_fs_new_with_bounds(
                    file, gint64(start), gint64(source.range.upperBound))
            else { return nil }
            fundmail_stream_fs_disown(made)
            (stream, shift) = (made, 0)
        }
        self.source = source
        _ = Self.isReady
        let parser = g_mime_parser_new_with_stream(stream)
        defer { g_object_unref(parser) }
        // The default, and what memory use rests on: parts are ranges of the stream, not copies.
        g_mime_parser_set_persist_stream(parser, 1)
        g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE)
        guard let top = g_mime_parser_construct_part(parser, nil) else {
            g_object_unref(stream)
            return nil
        }
        self.top = top
    }

    deinit {
        g_object_unref(top)
        g_object_unref(stream)
    }

    /// Where the content of a leaf stands; empty when it has none.
    func contentRange(_ part: UnsafeMutablePointer<GMimePart>) -> Range<Int64> {
        guard let content = g_mime_part_get_content(part), let stream = g_mime_data_wrapper_get_stream(content) else {
            return 0..<0
        }
        let start = Int64(fundmail_stream_start(stream)) + shift
        let end = Int64(fundmail_stream_end(stream))
        return start..<max(start, end < 0 ? source.range.upperBound : end + shift)
    }

    /// Whether a part or a file seems to stand outside the boundaries of a multipart, where few readers show it.
    static func looksLikePart(_ outside: UnsafePointer<CChar>?) -> Bool {
        guard let outside, outside[0] != 0 else { return false }
        for sign in ["content-type:", "content-disposition:", "content-transfer-encoding:"]
        where strcasestr(outside, sign) != nil { return true }
        return strncmp(outside, "begin 6", 7) == 0 || strstr(outside, "\nbegin 6") != nil
    }

    private static let isReady: Void = g_mime_init()
}

/// The bytes of parts, where GMime gives them back only rewritten. All positions are those of the file.
extension ParsedTree {
    /// Behind the header whose first field stands at `offset` of GMime's stream; nil when no empty line ends it.
    func body(headerAt offset: Int64) throws(ReadError) -> Int64? {
        try RawEntity(source: source).bodyStart(headerAt: offset + shift)
    }

    /// Where the entity that begins at `start` ends: before the line end that belongs to the next delimiter line of one
    /// of `boundaries` (RFC 2046 §5.1.1), or at the end of the message.
    func end(from start: Int64, boundaries: [[UInt8]]) throws(ReadError) -> Int64 {
        try RawEntity(source: source).end(from: start, boundaries: boundaries)
    }

    /// Boundary of a multipart that does not say it: the first line of the form `--text` (RFC 2046
    /// §5.1.1), if such a line stands among its first bytes, and its characters are those of boundaries.
    func boundary(in range: Range<Int64>) throws(ReadError) -> String? {
        let head = range.lowerBound..<min(range.upperBound, range.lowerBound + Int64(RawSource.chunkBytes))
        var text: [UInt8] = []
        try source.chunks(head) { chunk in text += chunk }
        for line in text.split(separator: .lf) where line.starts(with: [.hyphen, .hyphen]) {
            let boundary = line.dropFirst(2).reversed().drop { ASCII.isBlank($0) || $0 == .cr }.reversed()
            let isOne = (1...70).contains(boundary.count) && boundary.allSatisfy(Self.isBoundaryCharacter)
            return isOne ? String(decoding: boundary, as: UTF8.self) : nil
        }
        return nil
    }

    /// `bchars` of RFC 2046 §5.1.1.
    private static func isBoundaryCharacter(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || "'()+_,-./:=? ".utf8.contains(byte)
    }
}
