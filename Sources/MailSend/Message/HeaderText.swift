internal import FundCore
internal import MailConnection

/// Text of people, before it becomes part of a header.
enum HeaderText {
    /// Returns `text` when it holds no control. CR and LF would begin another field, NUL ends text for some readers,
    /// tabs are spaces to others, and the rest command terminals. `String.label` makes one line of any text.
    static func checked(_ text: String, field: String) throws(MessageError) -> String {
        guard !text.utf8.contains(where: \.isControl) else {
            throw MessageError(.control, in: field)
        }
        return text
    }

    /// Whether text can stand in a header as it is: ASCII that no reader takes for an encoded word, in words that are
    /// divided by single spaces and fit a line.
    static func isPlain(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ $0 == .space || ASCII.isVisible($0) }), !text.contains("=?") else { return false }
        let words = text.utf8.split(separator: .space, omittingEmptySubsequences: false)
        return words.allSatisfy { !$0.isEmpty && $0.count <= FieldWriter.maxWordBytes }
    }
}
