import FundCore
internal import Glibc

/// Tells the seven-bit charsets of East Asia by the sequences with which they change their set of characters (ISO
/// 2022). Mail has them under no charset, as `us-ascii` or as `utf-8`, in which they mean nothing.
enum EscapedCharset {
    /// The charset of seven-bit bytes; nil where no such sequence stands in them.
    static func told(by bytes: [UInt8]) -> Charset? {
        guard hasEscape(bytes), CharsetDecoder.isASCII(bytes) else { return nil }
        var found: Charset?
        for index in bytes.indices where bytes[index] == .escape {
            let rest = bytes[(index + 1)...].prefix(longestSequence)
            guard let told = sequences.first(where: { rest.starts(with: $0.bytes) })?.charset else { continue }
            // The superset of ISO-2022-JP counts wherever one of its own sequences stands.
            if told == .iso2022JP2 { return told }
            found = found ?? told
        }
        return found
    }

    /// Whether there is an escape character: nearly no text has one, and the search takes next to nothing.
    private static func hasEscape(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { raw in
            raw.baseAddress.map { memchr($0, Int32(UInt8.escape), raw.count) != nil } ?? false
        }
    }

    private static let longestSequence = 3
    /// Sequences, as they stand behind the escape character.
    private static let sequences: [(bytes: [UInt8], charset: Charset)] = {
        let table: [(Charset, [String])] = [
            // RFC 1468, with kana and the supplement as Windows writes them
            (.iso2022JP, ["$B", "$@", "(J", "(I", "$(D"]),
            // RFC 1554
            (.iso2022JP2, ["$A", "$(C", ".A", ".F"]),
            // RFC 1557
            (.iso2022KR, ["$)C"]),
            // RFC 1922
            (.iso2022CN, ["$)A", "$)G", "$*H"]),
        ]
        return table.flatMap { charset, sequences in sequences.map { (Array($0.utf8), charset) } }
    }()
}
