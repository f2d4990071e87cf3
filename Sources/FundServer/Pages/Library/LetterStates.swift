internal import FundCore

/// The states of letters in words.
struct LetterStates {
    let words: Words
    let formats: Formats

    /// Recipients that a row names.
    private static let maxNamed = 2

    /// `bob@partner.example, Eve and 3 more`
    func recipients(of letter: LetterSummary) -> String {
        let people = letter.recipients.filter { $0.role != .copy }.map { $0.addressee.name ?? $0.addressee.address }
        let named = people.prefix(Self.maxNamed).joined(separator: words.language == .zh ? "、" : ", ")
        guard people.count > Self.maxNamed else { return named }
        return words("letters.more", named, "\(people.count - Self.maxNamed)", "\(people.count)")
    }

    /// The state of a letter as a whole: the one of its recipients that needs most attention.
    func state(of letter: LetterSummary) -> PageModel {
        let order: [LetterRecipient.Delivery] = [
            .bounced, .failed, .uncertain, .delayed, .sending, .waiting, .sent, .dropped,
        ]
        let delivery = order.first { one in letter.recipients.contains { $0.delivery == one } } ?? .sent
        return state(delivery)
    }

    func state(_ delivery: LetterRecipient.Delivery) -> PageModel {
        ["state": words("letter.state.\(delivery.rawValue)"), "level": Self.level(of: delivery)]
    }

    /// The class of the mark of a state.
    static func level(of delivery: LetterRecipient.Delivery) -> String {
        switch delivery {
        case .waiting, .sending, .dropped: "is-unknown"
        case .sent: "is-ok"
        case .delayed, .uncertain: "is-warning"
        case .bounced, .failed: "is-failure"
        }
    }

    /// One recipient, with what is known and what one can do.
    func recipient(_ recipient: LetterRecipient, of letter: PersonalLetter.ID) -> PageModel {
        let delivery = recipient.delivery
        var row = state(delivery)
        row.merge([
            "number": "\(recipient.number)", "id": "\(letter)", "address": recipient.addressee.address,
            "name": recipient.addressee.name.orAbsent,
            "role": (recipient.role == .to ? nil : words("letter.role.\(recipient.role.rawValue)")).orAbsent,
            "meaning": ["parts": meaning(of: recipient)] as PageModel,
            "reply": (delivery == .sent ? nil : recipient.note.map(Words.shown)).orAbsent,
            "again": delivery.canBeSentAgain && !recipient.isAskedFirst, "isAskedFirst": recipient.isAskedFirst,
            "canBeGivenUp": delivery.canBeGivenUp,
        ])
        return row
    }

    private func meaning(of recipient: LetterRecipient) -> [PageModel] {
        let key = "letter.meaning.\(recipient.delivery.rawValue)"
        // One that was tried has the words of a server.
        if recipient.delivery == .waiting, recipient.note != nil { return words.parts("letter.meaning.waiting.again") }
        return words.parts(key, [recipient.changedAt.map(formats.moment) ?? ["plain": ""]])
    }

    /// The strip at an item with which letters were sent.
    func strip(_ letters: [LetterSummary]) -> [PageModel] {
        letters.map { letter in
            var row = state(of: letter)
            row.merge([
                "address": "\(PageRoute.lettersPath)/\(letter.id)", "to": recipients(of: letter),
                "time": formats.time(letter.sentAt),
            ])
            return row
        }
    }
}
