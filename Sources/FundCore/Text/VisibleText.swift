/// The visible text of an HTML body, for the search and for clients that show text only; an approximation.
package enum VisibleText {
    /// Bytes that are read; the rest is left out, so that a long body does not hold up other requests.
    private static let maxBytes = 1 << 20

    /// For readers that show text only: the text of a mail, else the words that its HTML would show. Empty without
    /// either. Not for the cooperative threads: it may read a long HTML.
    package static func of(text: String?, html: String?) -> String { text ?? html.map(of(html:)) ?? "" }

    /// Line breaks where blocks begin and end, white space as one blank, no markup, no script, no style; the usual
    /// character references decoded. Takes time that grows with the text only: less than a tenth of a second for the
    /// most that it reads, whatever it is made of.
    package static func of(html: String) -> String {
        var html = html
        return html.withUTF8 { bytes in
            var scanner = VisibleTextScanner(bytes: UnsafeBufferPointer(rebasing: bytes.prefix(maxBytes)))
            return String(decoding: scanner.run(), as: UTF8.self)
        }
    }
}
