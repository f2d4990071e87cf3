package import FundCore

/// Writes the letters of the outbox, each by the facts that it tells.
package struct LetterWriter: LetterComposer {
    /// Opens a file of a letter that a person wrote. May block.
    package typealias Contents = @Sendable (LetterAttachment) throws -> any StoredContent

    private let facts: any LetterFactReading
    private let contents: Contents
    private let digests: DigestComposer?
    private let places: @Sendable () -> LetterPlaces

    /// - Parameters:
    ///   - contents: opens the files of letters that people write.
    ///   - digests: writes digests; nil where none are queued.
    ///   - places: the places by the configuration that holds now.
    package init(
        facts: any LetterFactReading, contents: @escaping Contents, digests: DigestComposer? = nil,
        places: @escaping @Sendable () -> LetterPlaces
    ) {
        self.facts = facts
        self.contents = contents
        self.digests = digests
        self.places = places
    }

    package func compose(_ letter: OutboxLetter, from sender: Correspondent) async throws -> ComposedLetter {
        if [.news, .desk].contains(letter.cause.kind), let digests {
            return try await digests.compose(letter, from: sender)
        }
        return switch try await facts.facts(of: letter) {
        case .gone(let reason): .dropped(reason)
        case .filed(let filed): .message(try ReceiptComposer(places: places()).message(filed, letter, from: sender))
        case .kept(let kept): .message(try ReceiptComposer(places: places()).message(kept, letter, from: sender))
        case .news, .desk: .dropped("no digests are written here")
        case .webhook(let webhook):
            .message(try StoppedWebhookComposer(places: places()).message(webhook, letter, from: sender))
        case .letter(let written):
            try PersonalLetterComposer(places: places(), contents: contents).compose(written, from: sender)
        }
    }
}
