import FundCore
import TestSupport
import Testing

@testable import MailParse

@Suite struct CharsetDecoderTests {
    private let charsets = CharsetDecoder()

    /// Rows of the index of the WHATWG: the supplement of Hong Kong, extensions of ETEN, symbols of the first rows, two
    /// characters of one code.
    @Test(
        arguments: [
            ([0x9D, 0xEF], "嘅"), ([0xF9, 0xD6, 0xF9, 0xDC], "碁嫺"), ([0xA1, 0x45, 0xA2, 0x4E], "‧﹫"),
            ([0xA1, 0xFE, 0xA2, 0x40, 0xA1, 0xC3], "／＼￣"), ([0xA3, 0xE1], "€"), ([0xC6, 0xE7], "ぁ"),
            ([0x88, 0x62], "Ê\u{304}"), ([0x41, 0xA4, 0x40, 0x42], "A一B"),
            // behind the first byte of nothing, `A1 45` is no symbol
            ([0xA4, 0xA1, 0x45], "丑E"),
        ] as [([UInt8], String)])
    func readsBig5(_ bytes: [UInt8], _ expected: String) {
        for name in ["big5", "Big5-HKSCS", "cp950"] {
            let decoded = charsets.decode(bytes, charset: name)
            #expect(Array(decoded.text.unicodeScalars) == Array(expected.unicodeScalars), "\(decoded.text)")
        }
    }

    /// A code that no table has is one character that cannot be shown, and its neighbours stay.
    @Test(
        arguments: [
            ("big5", "基金", [0x81, 0x40]), ("shift_jis", "報告", [0x87, 0x9E]), ("euc-jp", "報告", [0xFD, 0xA1]),
            ("euc-kr", "보고", [0xC9, 0xA1]), ("euc-tw", "基金", [0xFD, 0xA1]), ("euc-tw", "基金", [0x8E, 0xAF, 0xFD, 0xA1]),
            ("euc-jp", "報告", [0x8F, 0xA1, 0xA1]), ("gb18030", "基金", [0xFE, 0x39, 0xFE, 0x39]),
        ] as [(String, String, [UInt8])])
    func anUnknownCodeCostsItself(_ name: String, _ text: String, _ code: [UInt8]) throws {
        let converter = try #require(Charset(name: name.utf8))
        guard case .iconv(let glibc, _) = converter else { return }
        let encoded = charsets.encode(text, as: glibc)
        let half = encoded.count / 2
        let decoded = charsets.decode(Array(encoded[..<half]) + code + encoded[half...], as: converter)
        let (first, second) = (text.first.map(String.init) ?? "", text.last.map(String.init) ?? "")
        // Some converters have a private character for it.
        let middle = decoded.text.dropFirst().dropLast()
        #expect(decoded.text.hasPrefix(first) && decoded.text.hasSuffix(second) && middle.count == 1, "\(decoded)")
        // At the end, and where only half of it is there.
        #expect(charsets.decode(encoded + code, as: converter).text.hasPrefix(text))
        #expect(charsets.decode(encoded + code.prefix(1), as: converter).text == text + "\u{FFFD}")
    }

    @Test(arguments: [nil, "us-ascii", "utf-8", "iso-8859-1", "windows-1252", "shift_jis", "gbk"])
    func escapesTellTheCharset(_ declared: String?) {
        for (bytes, expected) in [
            (Array("\u{1B}$BF|K\\\u{1B}(B ok".utf8), "日本 ok"), (Array("a\u{1B}$@F|K\\\u{1B}(J".utf8), "a日本"),
            (Array("\u{1B}$)C\n\u{0E}:P\u{0F}.".utf8), "\n분."),
            (Array("\u{1B}$)A\u{0E}VP\u{0F}.".utf8), "中."),
            // no charset's sequence, as terminals have it
            (Array("\u{1B}[1mbold".utf8), "\u{1B}[1mbold"),
        ] { #expect(charsets.decode(bytes, charset: declared).text == expected) }
    }

    @Test(
        arguments: [
            ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"), ([0xFF, 0xFE, 0xE9, 0x00], "é"), ([0xFE, 0xFF, 0x00, 0xE9], "é"),
            ([0xFF, 0xFE, 0x00, 0x00, 0xE9, 0x00, 0x00, 0x00], "é"),
        ] as [([UInt8], String)])
    func aByteOrderMarkCountsMost(_ bytes: [UInt8], _ expected: String) {
        for name in [nil, "iso-8859-1", "utf-8", "koi8-r"] {
            #expect(charsets.decode(bytes, charset: name) == DecodedText(expected))
            #expect(charsets.decodeHTML(bytes, charset: name) == DecodedText(expected))
        }
    }

    /// Two bytes that look like a mark in front of text that is none.
    @Test func whatIsNoMarkStays() {
        #expect(charsets.decode([0xFE, 0xFF, 0x61], charset: "koi8-r").text == "ЧЪa")
    }
}
