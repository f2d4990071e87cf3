import Testing

@testable import Terminal

/// Text from mail and from servers is hostile wherever it is shown.
@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("a\u{1b}[2Jb", "a[2Jb"), ("a\r\nb", "a  b"), ("\u{202e}fdp", "fdp"), ("a\u{200b}b", "ab"), ("\u{9b}x", "x"),
        ("基金", "基金"),
    ])
    func terminalIsNotCommanded(text: String, shown: String) { #expect(TerminalText.clean(text) == shown) }

    @Test(arguments: [("abc", 3), ("基金一", 6), ("ｆｕ", 4), ("e\u{301}", 1), ("😀", 2), ("", 0), ("펀드", 4)])
    func widths(text: String, columns: Int) { #expect(TerminalText.width(text) == columns) }
}
