internal import FundHTTP
internal import Glibc
internal import Hummingbird
internal import FundCore

/// `multipart/form-data` (RFC 7578).
enum Multipart {
    /// The header of one part.
    struct Part: Sendable, Equatable {
        var name: String
        /// Nil for a field that is no file.
        var fileName: String?
        var contentType: String
    }

    /// The boundary of a body; nil when it is no form of this kind.
    static func boundary(_ contentType: String?) -> [UInt8]? {
        guard let contentType, contentType.lowercased().hasPrefix("multipart/form-data"),
            let start = contentType.firstRange(of: "boundary=")
        else { return nil }
        let text = contentType[start.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        return (1...70).contains(text.utf8.count) ? Array(text.utf8) : nil
    }

    /// Reads the lines of a part's header; nil when they are malformed. Browsers write `"` in names as `%22`, and line
    /// ends as `%0D%0A` (HTML §4.10.21.8).
    ///
    /// It reads bytes: by characters, a `"` and the combining mark with which a name begins are one, and a line ends at
    /// U+2028, too.
    static func part(_ header: some Collection<UInt8>) -> Part? {
        var (name, fileName, contentType): (String?, String?, String) = (nil, nil, MediaTypes.unknown)
        for line in Array(header).split(separator: "\r\n".utf8) {
            guard let colon = line.firstIndex(of: .colon) else { return nil }
            let value = line[(colon + 1)...].drop { $0 == .space }
            switch ASCII.lowercased(line[..<colon]) {
            case "content-disposition":
                guard value.starts(with: "form-data".utf8) else { return nil }
                (name, fileName) = (parameter("name", of: value), parameter("filename", of: value))
            case "content-type":
                contentType = MediaTypes.declared([.contentType: String(decoding: value, as: UTF8.self)])
            default: break
            }
        }
        return name.map { Part(name: $0, fileName: fileName, contentType: contentType) }
    }

    private static func parameter(_ name: String, of value: ArraySlice<UInt8>) -> String? {
        guard let start = value.firstRange(of: "; \(name)=\"".utf8) else { return nil }
        let text = Array(value[start.upperBound...].prefix { $0 != UInt8(ascii: "\"") })
        let plain = text.replacing("%22".utf8, with: "\"".utf8).replacing("%0D%0A".utf8, with: " ".utf8)
        return String(decoding: plain, as: UTF8.self)
    }
}

/// Reads the parts of a form one after the other, each in pieces, as they come.
struct MultipartReader {
    private static let maxHeaderBytes = 8 * 1024

    private var body: RequestBody.AsyncIterator
    /// CR LF `--` boundary: what stands between parts.
    private let delimiter: [UInt8]
    private var buffer: [UInt8]
    /// Where in the buffer to go on searching: what was searched is not searched again with each piece that comes.
    private var searched = 0
    private var isAtEnd = false
    /// Within a part's content.
    private var isInPart = false

    init(_ body: RequestBody, boundary: [UInt8]) {
        self.body = body.makeAsyncIterator()
        delimiter = Array("\r\n--".utf8) + boundary
        // The first delimiter may stand at the very beginning, without the line end before it.
        buffer = Array("\r\n".utf8)
        isInPart = true
    }

    /// The next part, whatever was left of the one before; nil behind the last. Throws 400 for a broken body.
    mutating func nextPart() async throws -> Multipart.Part? {
        while isInPart { _ = try await nextChunk() }
        guard !isAtEnd else { return nil }
        let end = Array("\r\n\r\n".utf8)
        while true {
            if let found = search(end) {
                let part = Multipart.part(buffer[..<found.lowerBound])
                drop(found.upperBound)
                guard let part else { throw Self.broken }
                isInPart = true
                return part
            }
            guard buffer.count <= Self.maxHeaderBytes, try await fill() else { throw Self.broken }
        }
    }

    /// Some bytes of the part; nil at its end.
    mutating func nextChunk() async throws -> ByteBuffer? {
        guard isInPart else { return nil }
        while true {
            if let found = search(delimiter) {
                if found.lowerBound > 0 { return take(found.lowerBound) }
                // The delimiter is followed by a line end before another part, `--` behind the last.
                if buffer.count >= found.upperBound + 2 {
                    let next = Array(buffer[found.upperBound..<(found.upperBound + 2)])
                    guard next == Array("\r\n".utf8) || next == Array("--".utf8) else { throw Self.broken }
                    isAtEnd = next[0] == .hyphen
                    drop(found.upperBound + 2)
                    isInPart = false
                    return nil
                }
            } else if buffer.count >= 64 * 1024 {
                // All but what may be the beginning of a delimiter.
                return take(buffer.count - delimiter.count)
            }
            guard try await fill() else { throw Self.broken }
        }
    }

    private static let broken = RequestError.invalid("the form is broken, or ended early")

    private mutating func take(_ count: Int) -> ByteBuffer {
        defer { drop(count) }
        return ByteBuffer(bytes: buffer[..<count])
    }

    private mutating func drop(_ count: Int) {
        buffer.removeSubrange(..<count)
        searched = 0
    }

    private mutating func fill() async throws -> Bool {
        guard let more = try await body.next() else { return false }
        buffer += more.readableBytesView
        return true
    }

    /// Takes time that grows with what has come since the last search.
    /// - Parameter pattern: begins with CR.
    private mutating func search(_ pattern: [UInt8]) -> Range<Int>? {
        let start = searched
        let found = buffer.withUnsafeBytes { bytes in
            pattern.withUnsafeBytes { pattern -> Int? in
                guard let first = bytes.baseAddress, let wanted = pattern.baseAddress else { return nil }
                var offset = start
                while bytes.count - offset >= pattern.count,
                    let next = memchr(first + offset, Int32(UInt8.cr), bytes.count - offset - pattern.count + 1)
                {
                    offset = UnsafeRawPointer(next) - first
                    if memcmp(first + offset, wanted, pattern.count) == 0 { return offset }
                    offset += 1
                }
                return nil
            }
        }
        searched = found ?? max(start, buffer.count - pattern.count + 1)
        return found.map { $0..<($0 + pattern.count) }
    }
}
