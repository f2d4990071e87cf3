/// A `Character` is what a reader sees as one: a quote with an accent over it is another character than a quote, while
/// to a shell or a file system its first byte is the quote. What protects others from such bytes goes by scalars.
extension String {
    /// Every occurrence of one scalar replaced, also before a combining mark.
    package func replacing(scalar: Unicode.Scalar, with text: String) -> String {
        guard unicodeScalars.contains(scalar) else { return self }
        return unicodeScalars.reduce(into: "") { result, other in
            if other == scalar { result += text } else { result.unicodeScalars.append(other) }
        }
    }

    /// Its beginning, cut between two scalars.
    /// - Parameter bytes: of UTF-8, at most.
    package func prefix(bytes: Int) -> String {
        guard utf8.count > bytes else { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: max(0, bytes))
        while end > startIndex, !UTF8.isBoundary(utf8[end]) { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}

extension UTF8 {
    /// Whether a scalar begins with this byte.
    fileprivate static func isBoundary(_ byte: UInt8) -> Bool { byte & 0xC0 != 0x80 }
}
