internal import Foundation

/// Bytes as text of 64 letters (RFC 4648), without padding. For base64 in mail, which may be broken, see `MailParse`.
package enum Base64 {
    /// RFC 4648 §4.
    package static func text(_ bytes: [UInt8]) -> String {
        String(paddedText(bytes).prefix { $0 != "=" })
    }

    /// RFC 4648 §4 with its padding, for formats that ask for it.
    package static func paddedText(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

    /// The bytes of a text of RFC 4648 §4. Nil for text that is not in this form; padding may stand at its end.
    package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        return Data(base64Encoded: text + padding).map { Array($0) }
    }

    /// RFC 4648 §5, for addresses and names of files.
    package static func urlText(_ bytes: [UInt8]) -> String {
        let letters = Data(bytes).base64EncodedData().lazy.filter { $0 != UInt8(ascii: "=") }
        return String(decoding: letters.map(urlLetter), as: UTF8.self)
    }

    /// The bytes of a text of RFC 4648 §5. Nil for text that is not in this form.
    package static func bytes(url text: some StringProtocol) -> [UInt8]? {
        guard !text.utf8.contains(where: { $0 == plus || $0 == slash || $0 == UInt8(ascii: "=") }) else { return nil }
        return bytes(String(decoding: text.utf8.lazy.map(letter), as: UTF8.self))
    }

    private static let plus = UInt8(ascii: "+")
    private static let slash = UInt8(ascii: "/")

    private static func urlLetter(_ letter: UInt8) -> UInt8 {
        letter == plus ? UInt8(ascii: "-") : letter == slash ? UInt8(ascii: "_") : letter
    }

    private static func letter(_ urlLetter: UInt8) -> UInt8 {
        urlLetter == UInt8(ascii: "-") ? plus : urlLetter == UInt8(ascii: "_") ? slash : urlLetter
    }
}
