import FundCore

/// Parts that are no files: what only programs read of a mail that says the same in another form, and what stands in
/// place of a deleted file.
enum LeftOut {
    /// A reaction as Gmail writes it: an object of JSON with one emoji.
    case reaction
    /// Another form of an HTML text (AMP, for watches).
    case markup
    /// A note of the mail program that deleted a file, with the MIME fields which that had.
    case deletion

    /// Encoded. Larger parts are files.
    var maxBytes: Int64 {
        switch self {
        case .reaction: 4096
        case .markup: 512 << 10
        case .deletion: 64 << 10
        }
    }

    /// Whether the decoded content of a part is what the part says.
    func describes(_ content: [UInt8]) -> Bool {
        guard !content.contains(where: { $0 < .space && !ASCII.isSpace($0) }) else { return false }
        switch self {
        case .reaction:
            let text = ASCII.trimmed(content[...])
            return text.first == UInt8(ascii: "{") && text.last == UInt8(ascii: "}")
                && ASCII.firstIndex(of: Self.member, in: content) != nil
        case .markup: return content.drop { !ASCII.isVisible($0) }.first == .lessThan
        case .deletion:
            return content.split(whereSeparator: { $0 == .lf || $0 == .cr }).contains { line in
                ASCII.lowercased(line.prefix(Self.field.count)) == Self.field
            }
        }
    }

    private static let member = Array("\"emoji\"".utf8)
    private static let field = "content-type:"
}
