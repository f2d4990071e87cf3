extension [UInt8] {
    /// Writes a text so that it is text in markup and in quoted attributes (HTML §13.1.2.3).
    ///
    /// Byte by byte: by characters, a `"` or `<` that a combining mark or a prepended one (UAX #29) makes a part of a
    /// character would be written as it is.
    mutating func appendEscaped(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated() {
                let reference: String
                switch byte {
                case UInt8(ascii: "&"): reference = "&amp;"
                case UInt8(ascii: "<"): reference = "&lt;"
                case UInt8(ascii: ">"): reference = "&gt;"
                case UInt8(ascii: "\""): reference = "&quot;"
                case UInt8(ascii: "'"): reference = "&#39;"
                default: continue
                }
                append(contentsOf: utf8[start..<index])
                append(contentsOf: reference.utf8)
                start = index + 1
            }
            append(contentsOf: utf8[start...])
        }
    }
}

extension String {
    var escapedMarkup: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendEscaped(self)
        return bytes
    }
}
