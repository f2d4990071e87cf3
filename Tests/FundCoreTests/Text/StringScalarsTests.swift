import TestSupport
import Testing

@testable import FundCore

@Suite struct StringScalarsTests {
    @Test func everyScalarIsReplaced() {
        let text = "'a'\u{301}'\u{200D}b'\r\n"
        #expect(text.replacing(scalar: "'", with: "\"\"").unicodeScalars.count { $0 == "'" } == 0)
        #expect(text.replacing(scalar: "'", with: "\"\"").utf8.count == text.utf8.count + 4)
        #expect(text.replacing(scalar: "\n", with: "").utf8.count == text.utf8.count - 1)
        #expect("none".replacing(scalar: "'", with: "x") == "none")
    }

    @Test(arguments: [
        ("abc", 2, "ab"), ("abc", 3, "abc"), ("abc", 0, ""), ("abc", -1, ""), ("a\u{E9}b", 2, "a"),
        ("a\u{E9}b", 3, "a\u{E9}"),
        ("\u{1F4C8}x", 3, ""), ("\u{1F4C8}x", 4, "\u{1F4C8}"), ("e\u{301}", 1, "e"), ("", 5, ""),
    ])
    func prefixesEndBetweenScalars(_ text: String, _ bytes: Int, _ prefix: String) {
        #expect(Array(text.prefix(bytes: bytes).utf8) == Array(prefix.utf8))
    }

    /// The name of a stranger cannot end its quotation, nor look like what stands around it.
    @Test(arguments: [
        ("Eve", "“Eve”"), ("", "“”"), ("伊芙 & Co.", "“伊芙 & Co.”"), ("a”, b “c", "“a\\u{201D}, b \\u{201C}c”"),
        ("O’Brien's", "“O’Brien's”"), ("\"«»「」\u{FF02}", "“\\u{22}\\u{AB}\\u{BB}\\u{300C}\\u{300D}\\u{FF02}”"),
        ("\\u{201D}", "“\\u{5C}u{201D}”"), ("a\r\nb\u{2028}\u{85}", "“a\\u{D}\\u{A}b\\u{2028}\\u{85}”"),
        ("\u{202E}x\u{2066}\u{200B}", "“\\u{202E}x\\u{2066}\\u{200B}”"), ("\u{301}e\u{301}", "“\\u{301}e\u{301}”"),
        ("\u{1F469}\u{200D}\u{1F4BB}", "“\u{1F469}\u{200D}\u{1F4BB}”"), ("\u{1B}[2J", "“\\u{1B}[2J”"),
    ])
    func quotationsHoldTheirText(_ text: String, _ quoted: String) {
        #expect(Array(text.quoted.utf8) == Array(quoted.utf8))
    }

    @Test(arguments: [
        ("Ann's tablet", "Ann's tablet"), ("a\u{202E}b\u{202C}", "ab"),
        ("a\u{2066}b\u{2069}\u{200F}\u{200E}\u{61C}", "ab"),
        ("a\tb\r\nc\u{2028}d", "a b  c d"), ("a\0\u{1B}[31m\u{9B}b", "a[31mb"),
        // Joiners belong to words and to pictures.
        ("\u{645}\u{6CC}\u{200C}\u{62E}", "\u{645}\u{6CC}\u{200C}\u{62E}"),
        ("\u{1F469}\u{200D}\u{1F4BB}", "\u{1F469}\u{200D}\u{1F4BB}"),
    ])
    func labelsAreOneLine(_ text: String, _ label: String) {
        #expect(Array(text.label.unicodeScalars) == Array(label.unicodeScalars))
    }
}
