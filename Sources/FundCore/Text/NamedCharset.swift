internal import Glibc

/// A charset that a file names for one of its texts. iconv(3) never gets a name that a file chose.
package struct NamedCharset: Hashable, Sendable {
    /// For iconv(3).
    private let name: String

    /// Charsets in which programs write vCard 2.1, without hyphens and underscores; for the others they are taken for
    /// UTF-8, as all texts are that name none.
    private static let names: [String: String] = {
        var names = [
            "gb2312": "GB18030", "gbk": "GB18030", "gb18030": "GB18030", "cp936": "GB18030", "big5": "BIG5",
            "shiftjis": "CP932", "sjis": "CP932", "windows31j": "CP932", "eucjp": "EUC-JP-MS", "euckr": "UHC",
            "ksc56011987": "UHC", "koi8r": "KOI8-R", "koi8u": "KOI8-U", "usascii": "CP1252", "iso88591": "CP1252",
        ]
        for part in 2...16 where part != 11 && part != 12 { names["iso8859\(part)"] = "ISO-8859-\(part)" }
        for page in 1250...1258 { names["windows\(page)"] = "CP\(page)" }
        return names
    }()

    /// Nil for UTF-8, and for what is not known.
    package init?(_ text: String) {
        let key = ASCII.lowercased(text.utf8.filter { $0 != .hyphen && $0 != .underscore })
        guard let name = Self.names[key] else { return nil }
        self.name = name
    }

    /// - Parameter name: one that `LegacyEncoding` guessed.
    init(guessed name: String) { self.name = name }

    /// UTF-8, with U+FFFD for what is none of its characters.
    package func decoded(_ bytes: [UInt8]) -> [UInt8] {
        guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return bytes }
        defer { _ = iconv_close(converter) }
        var (input, output) = (bytes.map { CChar(bitPattern: $0) }, [CChar](repeating: 0, count: 4 * bytes.count + 4))
        let count = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (next, left): (UnsafeMutablePointer<CChar>?, Int) = (input.baseAddress, input.count)
                var (target, room): (UnsafeMutablePointer<CChar>?, Int) = (output.baseAddress, output.count)
                // There is room for four bytes of UTF-8 for each byte: a call ends with the input, or at a wrong byte.
                while left > 0, iconv(converter, &next, &left, &target, &room) == -1, room >= 4, left > 0 {
                    for byte in "\u{FFFD}".utf8 {
                        target?.pointee = CChar(bitPattern: byte)
                        target = target?.advanced(by: 1)
                        room -= 1
                    }
                    next = next?.advanced(by: 1)
                    left -= 1
                }
                return output.count - room
            }
        }
        return output[..<count].map { UInt8(bitPattern: $0) }
    }
}
