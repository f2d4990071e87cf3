/// Hostile names and subjects: control characters, direction marks, markup, line ends of all kinds.
package enum HostileText {
    package static let samples = [
        "", "plain", "\"\\/\u{8}\u{c}\n\r\t", "\u{0}\u{1}\u{1f}\u{7f}", "\u{80}\u{9b}31m\u{9f}é\u{a0}",
        "基金一 😀 e\u{301}",
        "\u{202e}fdp.exe\u{2028}\u{2029}", "</script><img src=x onerror=alert(1)>", "\u{c2}\u{e2}ends with Â",
        String(repeating: "\u{85}x", count: 50),
    ]
}
