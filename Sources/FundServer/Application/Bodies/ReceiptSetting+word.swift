internal import FundCore
internal import FundHTTP

/// A choice of receipts in forms and in JSON: `mailbox`, or the word of a `ReceiptChoice`.
extension ReceiptSetting {
    private static let mailboxWord = "mailbox"

    static var words: [String] { [mailboxWord] + ReceiptChoice.allCases.map(\.rawValue) }

    init(_ choice: ReceiptChoice?) { self = choice.map { .own($0) } ?? .ofMailbox }

    init?(word: String) {
        guard word != Self.mailboxWord else {
            self = .ofMailbox
            return
        }
        guard let choice = ReceiptChoice(rawValue: word) else { return nil }
        self = .own(choice)
    }

    /// Throws 400 for a text that is no such word.
    init(field: String) throws {
        guard let setting = Self(word: field) else {
            throw RequestError.invalid("receipts must be one of \(Self.words.joined(separator: ", "))")
        }
        self = setting
    }

    var word: String { choice?.rawValue ?? Self.mailboxWord }
}
