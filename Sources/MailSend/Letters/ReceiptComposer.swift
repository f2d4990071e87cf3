internal import FundCore

/// Writes what a sender is told about their mail: that it was filed, that it waits, that it was filed later.
struct ReceiptComposer {
    let places: LetterPlaces

    func message(
        _ filed: FiledMailFacts, _ letter: OutboxLetter, from sender: Correspondent
    ) throws(MessageError) -> OutgoingMessage {
        let language = LetterLanguage(of: filed.mail.subject, fund: filed.fund)
        let text = ReceiptText(say: language, places: places)
        return try answer(to: filed.mail, in: language, letter, from: sender) {
            letter.cause.kind == .filedLater ? text.filedLater(filed) : text.filed(filed)
        }
    }

    func message(
        _ kept: KeptMailFacts, _ letter: OutboxLetter, from sender: Correspondent
    ) throws(MessageError) -> OutgoingMessage {
        let language = LetterLanguage(of: kept.mail.subject, fund: kept.funds.first)
        let text = ReceiptText(say: language, places: places)
        return try answer(to: kept.mail, in: language, letter, from: sender) { text.kept(kept) }
    }

    private func answer(
        to mail: AnsweredMail, in language: LetterLanguage, _ letter: OutboxLetter, from sender: Correspondent,
        text: () -> String
    ) throws(MessageError) -> OutgoingMessage {
        let recipient = Correspondent(
            name: mail.recipientName.map(LetterLine.of), address: try OutgoingAddress(letter.recipient, field: "To"))
        var message = OutgoingMessage(
            from: sender, to: [recipient], subject: Self.subject(of: mail, in: language), text: text())
        message.origin = .replied
        message.inReplyTo = mail.messageID.flatMap { MessageID($0) }
        message.references = message.inReplyTo.map { [$0] } ?? []
        return message
    }

    /// The subject of an answer, so that mail programs show it beside what it answers.
    private static func subject(of mail: AnsweredMail, in say: LetterLanguage) -> String {
        let line = LetterLine.of(String(SubjectTags.withoutReplyPrefixes(mail.subject ?? "")))
        return line.isEmpty ? say("Your mail", "您的邮件") : "Re: \(line)"
    }
}
