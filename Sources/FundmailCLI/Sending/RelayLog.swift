import FundCore
import Logging
import MailSend
import Terminal

/// Writes to the log what the relay does. Recipients, and replies that may name them, stay out of it: `fundmail outbox`
/// shows them.
struct RelayLog: Sendable {
    private let logger = Logger(label: "fundmail.relay")

    func write(_ event: RelayEvent) {
        switch event {
        case .letter(let letter, let result):
            logger.log(level: Self.needsPerson(result) ? .warning : .debug, "\(Self.words(letter, result))")
        case .paused(let words, let pause, let isKnown):
            let seconds = Quantity.oneDecimal(pause.seconds)
            logger.log(level: isKnown ? .info : .warning, "no letter goes out: \(words) Trying again in \(seconds) s.")
        case .resumed: logger.notice("letters go out again")
        case .notQueued(let words): logger.warning("no digest can be queued now: \(words)")
        }
    }

    /// Says on standard error what a person has to look at, for a command that ends.
    static func warn(_ event: RelayEvent) {
        if case .letter(let letter, let result) = event, needsPerson(result) { Console.warn(words(letter, result)) }
    }

    private static func needsPerson(_ result: OutboxResult) -> Bool { [.failed, .uncertain].contains(result.kind) }

    private static func words(_ letter: OutboxLetter, _ result: OutboxResult) -> String {
        switch result {
        case .sent: "letter \(letter.id) was taken by the server"
        case .deferred: "letter \(letter.id) is tried again later; `fundmail outbox show \(letter.id)` says why"
        case .failed: "letter \(letter.id) cannot be sent; `fundmail outbox show \(letter.id)` says why"
        case .uncertain:
            "letter \(letter.id) went out, and no answer came: it may have arrived; `fundmail outbox show "
                + "\(letter.id)` says more"
        case .dropped: "letter \(letter.id) is not needed any more"
        case .postponed: "letter \(letter.id) waits: it could not be handed over"
        }
    }
}
