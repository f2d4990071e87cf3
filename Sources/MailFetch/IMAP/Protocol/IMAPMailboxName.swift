internal import FundCore

/// A folder name as IMAP writes it: modified UTF-7 in a quoted string (RFC 3501 §5.1.3).
enum IMAPMailboxName {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+,".utf8)

    static func quoted(_ name: String) -> String {
        // INBOX is the one name whose case does not count (RFC 3501 §5.1).
        let name = name.uppercased() == "INBOX" ? "INBOX" : name
        var text = "\""
        for character in encoded(name) {
            if character == "\"" || character == "\\" { text.append("\\") }
            text.append(character)
        }
        return text + "\""
    }

    /// Printable ASCII as it is, `&` as `&-`, all else as UTF-16 in base64 without padding between `&` and `-`.
    static func encoded(_ name: String) -> String {
        var result: [UInt8] = []
        var shifted: [UInt8] = []
        for unit in name.utf16 {
            guard unit < 32 || unit > 126 else {
                flush(&shifted, into: &result)
                result.append(UInt8(truncatingIfNeeded: unit))
                if unit == UInt8(ascii: "&") { result.append(.hyphen) }
                continue
            }
            shifted += [UInt8(unit >> 8), UInt8(unit & 255)]
        }
        flush(&shifted, into: &result)
        return String(decoding: result, as: UTF8.self)
    }

    private static func flush(_ shifted: inout [UInt8], into result: inout [UInt8]) {
        guard !shifted.isEmpty else { return }
        result.append(UInt8(ascii: "&"))
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for byte in shifted {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                result.append(alphabet[Int(bits >> count & 63)])
            }
        }
        if count > 0 { result.append(alphabet[Int(bits << (6 - count) & 63)]) }
        result.append(.hyphen)
        shifted = []
    }
}

/// The server's names of a user's own folders (RFC 2342 §5): Courier and Cyrus refuse those without `INBOX.` in front.
struct IMAPNamespace: Equatable {
    /// Stands in front of every name; empty where none is needed.
    var prefix = ""
    /// Between the levels of a name; nil where there are no levels.
    var delimiter: String?

    /// The server's name of a folder that the configuration names with `/` between levels, as mbsync makes it. A name
    /// that begins with the prefix is complete.
    func name(of folder: String) -> String {
        if folder.uppercased() == "INBOX" { return "INBOX" }
        let name = delimiter.map { folder.split(separator: "/").joined(separator: $0) } ?? folder
        return name.lowercased().hasPrefix(prefix.lowercased()) ? name : prefix + name
    }

    /// The folders above one, the nearest first.
    func parents(of name: String) -> [String] {
        guard let delimiter, !delimiter.isEmpty else { return [] }
        let levels = name.split(separator: delimiter, omittingEmptySubsequences: false)
        return levels.indices.dropFirst().reversed().map { levels.prefix($0).joined(separator: delimiter) }
    }
}
