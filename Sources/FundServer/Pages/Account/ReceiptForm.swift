internal import FundHTTP
internal import FundCore

/// A person's choice of the letters that they get about their mail, as a form shows it.
enum ReceiptForm {
    /// In the order in which they are offered; nil is the choice of the mailbox.
    private static let choices: [ReceiptChoice?] = [nil, .all, .filed, .problems, .off]

    /// For a template: what can be chosen; nothing while letters are off.
    static func model(of user: User, _ call: PageCall) -> PageModel {
        guard call.parts.letterServer() != nil else { return ["hasLetters": false] }
        return [
            "hasLetters": true,
            "receipts": choices.map { choice in
                let word = ReceiptSetting(choice).word
                return PageModel.choice(word, call.words("receipts.\(word)"), isChosen: choice == user.receipts)
            },
        ]
    }

    /// Throws 400 for a word that no form has.
    static func setting(in form: FieldText) throws -> ReceiptSetting {
        try ReceiptSetting(field: form["receipts"] ?? "")
    }
}
