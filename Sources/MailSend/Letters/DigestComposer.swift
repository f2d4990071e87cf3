package import FundCore

/// Writes the digests: what is new in a person's funds, and what waits at the desk.
package struct DigestComposer: LetterComposer {
    private let facts: any LetterFactReading
    private let places: @Sendable () -> LetterPlaces
    private let token: @Sendable (User.ID, Digest.Kind) throws -> String

    /// - Parameters:
    ///   - places: the places by the configuration that holds now.
    ///   - token: gives what stands at the end of the address where a person ends digests of a kind.
    package init(
        facts: any LetterFactReading, places: @escaping @Sendable () -> LetterPlaces,
        token: @escaping @Sendable (User.ID, Digest.Kind) throws -> String
    ) {
        (self.facts, self.places, self.token) = (facts, places, token)
    }

    package func compose(_ letter: OutboxLetter, from sender: Correspondent) async throws -> ComposedLetter {
        switch try await facts.facts(of: letter) {
        case .gone(let reason): return .dropped(reason)
        case .news(let news):
            let first = news.funds.first
            let language = LetterLanguage(news.recipient.language, orOf: first?.mails.first?.subject, first?.name)
            let text = NewsText(say: language, frame: try frame(.news, news.recipient, language))
            return .message(
                try message(
                    letter, to: news.recipient, from: sender, text.subject(news), text.text(news),
                    endedAt: text.frame.ending))
        case .desk(let desk):
            let language = LetterLanguage(desk.recipient.language, orOf: desk.messages.first?.subject, nil)
            let text = DeskText(say: language, frame: try frame(.desk, desk.recipient, language))
            return .message(
                try message(
                    letter, to: desk.recipient, from: sender, text.subject(desk), text.text(desk),
                    endedAt: text.frame.ending))
        case .filed, .kept, .letter, .webhook: return .dropped("it is no digest")
        }
    }

    private func frame(
        _ kind: Digest.Kind, _ recipient: NotificationRecipient, _ language: LetterLanguage
    ) throws -> DigestFrame {
        let places = places()
        // RFC 8058 §3.1: without TLS the address would not be the person's alone.
        let isSecure = places.pages?.hasPrefix("https://") ?? false
        let ending = isSecure ? places.link("/unsubscribe/\(try token(recipient.user, kind))") : nil
        return DigestFrame(say: language, places: places, ending: ending)
    }

    private func message(
        _ letter: OutboxLetter, to recipient: NotificationRecipient, from sender: Correspondent, _ subject: String,
        _ text: String, endedAt ending: String?
    ) throws(MessageError) -> OutgoingMessage {
        let person = Correspondent(
            name: recipient.name.map(LetterLine.of), address: try OutgoingAddress(letter.recipient, field: "To"))
        var message = OutgoingMessage(from: sender, to: [person], subject: subject, text: text)
        message.origin = .generated
        message.unsubscribe = ending
        return message
    }
}
