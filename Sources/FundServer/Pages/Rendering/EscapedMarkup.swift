internal import FundCore

extension [UInt8] {
    /// Writes a text so that it is text in markup and in quoted attributes (HTML §13.1.2.3).
    ///
    /// Byte by byte: by characters, a `"` or `<` that a combining mark or a prepended one (UAX #29) makes a part of a
    /// character would be written as it is. Long piles of combining marks are divided: browsers take quadratic time to
    /// draw them.
    mutating func appendEscaped(_ text: String) {
        var text = text.drawable
        text.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated() {
                guard let reference = byte.markupReference else { continue }
                append(contentsOf: utf8[start..<index])
                append(contentsOf: reference.utf8)
                start = index + 1
            }
            append(contentsOf: utf8[start...])
        }
    }
}

extension UInt8 {
    /// Reference that stands for this byte in markup; nil for itself.
    @inline(__always)
    fileprivate var markupReference: String? {
        switch self {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: ">"): "&gt;"
        case UInt8(ascii: "\""): "&quot;"
        case UInt8(ascii: "'"): "&#39;"
        default: nil
        }
    }
}

extension String {
    /// Bytes of `escapedMarkup`.
    var escapedCount: Int { drawable.utf8.reduce(0) { $0 + ($1.markupReference?.utf8.count ?? 1) } }

    var escapedMarkup: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendEscaped(self)
        return bytes
    }
}
