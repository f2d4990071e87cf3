/// A part of a long text, by characters (Unicode scalars).
struct TextPart: Sendable, Hashable {
    /// Characters of one answer, unless the caller asks for others.
    static let usualLength: Int64 = 20_000
    /// Limit of characters in one answer.
    static let maxLength: Int64 = 100_000

    var text: String
    var offset: Int
    var total: Int

    /// The part from an offset on, which may lie behind the end.
    init(_ whole: String, from offset: Int, atMost count: Int) {
        let scalars = whole.unicodeScalars
        total = scalars.count
        self.offset = min(offset, total)
        let first = scalars.index(scalars.startIndex, offsetBy: self.offset)
        let last = scalars.index(first, offsetBy: count, limitedBy: scalars.endIndex) ?? scalars.endIndex
        text = String(scalars[first..<last])
    }

    private var end: Int { offset + text.unicodeScalars.count }

    /// Says whether something is missing, and how to get it.
    var words: String {
        if total == 0 { return "There is no text." }
        if offset == 0, end == total { return "All of the text, \(total) characters." }
        let rest = end < total ? "It is cut: call again with offset \(end) for more." : "That is the end."
        return "Characters \(offset) to \(end) of \(total). \(rest)"
    }
}
