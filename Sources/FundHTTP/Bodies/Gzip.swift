internal import CZlib
package import HTTPTypes
package import Hummingbird
internal import FundCore
package import NIOCore

/// The content coding `gzip` (RFC 9110 §8.4.1.3, RFC 1952).
package enum Gzip {
    /// Less does not pay for the field that announces it.
    private static let minSize = 512

    /// How much work goes into making it small (zlib.h).
    package enum Effort: Int32 {
        /// For what is made anew for each request.
        case quick = 4
        /// For what is made once.
        case best = 9
    }

    /// Whether the sender of these fields takes it (RFC 9110 §12.5.3).
    package static func isAccepted(_ headers: HTTPFields) -> Bool {
        let codings = (headers[.acceptEncoding] ?? "").prefix(256).split(separator: ",")
        return codings.contains { coding in
            let parts = coding.split(separator: ";").map { $0.filter { $0 != " " }.lowercased() }
            guard parts.first == "gzip" else { return false }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) }
            return weight.map { $0 > 0 } ?? true
        }
    }

    /// Nil when it would be no smaller.
    package static func compressed(_ bytes: ByteBuffer, _ effort: Effort) -> ByteBuffer? {
        guard bytes.readableBytes >= minSize, bytes.readableBytes < Int(UInt32.max) else { return nil }
        var stream = z_stream()
        // 16 is for gzip's header and trailer, 15 and 8 are zlib's own values (deflateInit2 in zlib.h).
        let status = deflateInit2_(
            &stream, effort.rawValue, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard status == Z_OK else { return nil }
        defer { deflateEnd(&stream) }
        var output = ByteBuffer()
        let isDone = bytes.withUnsafeReadableBytes { input in
            output.writeWithUnsafeMutableBytes(minimumWritableBytes: bytes.readableBytes) { room in
                stream.next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
                stream.avail_in = UInt32(input.count)
                stream.next_out = room.bindMemory(to: UInt8.self).baseAddress
                stream.avail_out = UInt32(bytes.readableBytes)
                // No end within as much room as the text itself takes: it would not be smaller.
                return deflate(&stream, Z_FINISH) == Z_STREAM_END ? bytes.readableBytes - Int(stream.avail_out) : 0
            } > 0
        }
        return isDone ? output : nil
    }
}

extension Response {
    /// Compressed when the request allows it and it pays. The body must be text that holds nothing secret beside what a
    /// stranger can choose (BREACH): the tokens of forms are masked.
    package init(
        status: HTTPResponse.Status, headers: HTTPFields, text: ByteBuffer, to request: Request
    ) {
        var headers = headers
        headers[.vary] = [headers[.vary], "Accept-Encoding"].compactMap(\.self).joined(separator: ", ")
        guard Gzip.isAccepted(request.headers), let small = Gzip.compressed(text, .quick) else {
            self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: text))
            return
        }
        headers[.contentEncoding] = "gzip"
        self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: small))
    }
}
