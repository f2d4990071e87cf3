import CGMime
import CLinux
internal import Glibc

/// What GMime made of a message: owns the top object; the pointers of its parts live as long as it.
///
/// GMime reads the message as a MIME part, not as a message: it then leaves the address fields and the subject alone.
/// Their parsers recurse for each nested group, which overflows the stack, and `HeaderBlock` is read in their place.
final class ParsedTree {
    let source: RawSource
    let top: UnsafeMutablePointer<GMimeObject>
    /// What to add to GMime's offsets to get positions in the file.
    let shift: Int64
    private let stream: UnsafeMutablePointer<GMimeStream>

    /// Parses from `start`, where the header begins. Nil when GMime finds nothing.
    init?(_ source: RawSource, from start: Int64) {
        if let memory = source.memory {
            let skipped = Int(start - source.range.lowerBound)
            // Copies the bytes, which costs less than GMime's reads from a file would.
            let made = memory.withUnsafeBytes { bytes in
                g_mime_stream_mem_new_with_buffer(
                    bytes.bindMemory(to: CChar.self).baseAddress.map { $0 + skipped }, bytes.count - skipped)
            }
            guard let made else { return nil }
            (stream, shift) = (made, start)
        } else {
            guard
                let made = g_mime_stream_fs_new_with_bounds(
                    source.descriptor, gint64(start), gint64(source.range.upperBound))
            else { return nil }
            fundmail_stream_fs_disown(made)
            (stream, shift) = (made, 0)
        }
        self.source = source
        let parser = g_mime_parser_new_with_stream(stream)
        defer { g_object_unref(parser) }
        // The default, and what memory use rests on: parts are ranges of the stream, not copies.
        g_mime_parser_set_persist_stream(parser, 1)
        g_mime_parser_set_format(parser, GMIME_FORMAT_MESSAGE)
        guard let top = g_mime_parser_construct_part(parser, Self.options) else {
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

    /// Whether a part or a file seems to stand in the text before the first or after the last boundary of a multipart,
    /// which most readers do not show.
    static func looksLikePart(_ outside: UnsafePointer<CChar>?) -> Bool {
        guard let outside, outside[0] != 0 else { return false }
        for sign in ["content-type:", "content-disposition:", "content-transfer-encoding:"]
        where strcasestr(outside, sign) != nil { return true }
        return strncmp(outside, "begin 6", 7) == 0 || strstr(outside, "\nbegin 6") != nil
    }

    /// One for each child, never freed; the global default is left alone.
    nonisolated(unsafe) private static let options: OpaquePointer? = {
        g_mime_init()
        return g_mime_parser_options_new()
    }()
}
