internal import FundCore

/// Text beyond ASCII in a header (RFC 2047), as UTF-8.
enum EncodedWords {
    private static let overhead = "=?utf-8?B??=".utf8.count
    /// RFC 2047 §2.
    private static let maxBytes = 75

    /// The encoded words of `text`, each of whole characters of Unicode. Readers join them without the space between
    /// them.
    ///
    /// - Parameter room: bytes that the line has left for the first of them.
    static func words(_ text: String, room: Int) -> [String] {
        let escaped = text.utf8.count { !isPlain($0) && $0 != .space }
        let usesQ = text.utf8.count + 2 * escaped <= (text.utf8.count + 2) / 3 * 4
        var words: [String] = []
        var bytes: [UInt8] = []
        var left = min(maxBytes, room) - overhead
        // A first line without room for a word of some length stays without one.
        if left < 16 { left = maxBytes - overhead }
        func cost(_ bytes: [UInt8]) -> Int {
            usesQ
                ? bytes.reduce(0) { $0 + (isPlain($1) || $1 == .space ? 1 : 3) } : (bytes.count + 2) / 3 * 4
        }
        for scalar in text.unicodeScalars {
            let next = Array(String(scalar).utf8)
            if !bytes.isEmpty, cost(bytes + next) > left {
                words.append(word(bytes, usesQ: usesQ))
                bytes = []
                left = maxBytes - overhead
            }
            bytes += next
        }
        if !bytes.isEmpty { words.append(word(bytes, usesQ: usesQ)) }
        return words
    }

    /// Bytes that stand for themselves in `Q` everywhere, in names of people, too (RFC 2047 §5, rule 3).
    private static func isPlain(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "!*+-/".utf8.contains(byte) }

    private static func word(_ bytes: [UInt8], usesQ: Bool) -> String {
        guard usesQ else { return "=?utf-8?B?\(TransferCoding.base64(bytes))?=" }
        var text = ""
        for byte in bytes {
            if byte == .space {
                text += "_"
            } else if isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "=\(TransferCoding.hex(byte))"
            }
        }
        return "=?utf-8?Q?\(text)?="
    }
}
