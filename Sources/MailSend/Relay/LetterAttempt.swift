internal import FundCore
internal import MailConnection

/// The result of one attempt to hand a letter over, by which the relay goes on.
enum LetterAttempt {
    /// The letter has a result, and the next one follows.
    ///
    /// - Parameter hasReply: the server decided, so that it is well.
    case ended(OutboxResult, hasReply: Bool)
    /// The connection was too old, or the relay is told to end: the letter waits as before.
    case undone(String)
    /// The letter has a result, and the server is not well.
    case failed(OutboxResult, ConnectionError)
    /// The server takes no letter at all: this one waits as before.
    case refused(ConnectionError)

    /// Replies by which a server takes nothing from this client, whatever the letter (RFC 4954 §6, RFC 3207 §4): it
    /// wants a login, another one, or encryption.
    private static let loginWanted: Set = [530, 534, 535, 538]

    /// - Parameter mayBeOld: a failure of the connection tells nothing about the letter.
    init(_ outcome: SendOutcome, mayBeOld: Bool) {
        switch outcome {
        case .deferred(let reply) where reply.endsConnection:
            if mayBeOld {
                self = .undone("\(reply)")
            } else {
                self = .failed(
                    .deferred("\(reply)"), ConnectionError(.throttled, during: "the dialogue", "\(reply)"))
            }
        case .failed(let reply) where Self.loginWanted.contains(reply.code),
            .senderRefused(let reply, _) where Self.loginWanted.contains(reply.code):
            self = .refused(ConnectionError(.loginRefused, during: "the dialogue", "\(reply)"))
        case .sent(let reply): self = .ended(.sent("\(reply)"), hasReply: true)
        case .deferred(let reply): self = .ended(.deferred("\(reply)"), hasReply: true)
        case .failed(let reply): self = .ended(.failed("\(reply)"), hasReply: true)
        case .senderRefused(let reply, let isHeldBack):
            let error = ConnectionError(.senderRefused, during: "the dialogue", "\(reply)")
            // One that is about the recipient alone must not be the first of the letters that wait for ever.
            self = isHeldBack ? .failed(.deferred("\(reply)"), error) : .refused(error)
        case .uncertain(let cause):
            // A server that fails at each letter must not make all of them uncertain, one after the other.
            self = .failed(
                .uncertain("The whole letter went out, and no answer came (\(cause))."),
                ConnectionError(.connectionLost, during: "the wait for the reply to a letter", cause))
        }
    }

    /// After `error` the server surely does not have the letter.
    ///
    /// - Parameter words: the error, for people.
    init(_ error: ConnectionError, mayBeOld: Bool, words: (any Error) -> String) {
        switch error.code {
        case .cancelled: self = .undone("The program ended before the letter was handed over.")
        // The command would have been too long.
        case .badConfiguration: self = .ended(.failed("It cannot be sent: \(error.detail)."), hasReply: false)
        case .messageUnavailable:
            self = .ended(.deferred("A file of it cannot be read: \(error.detail)."), hasReply: false)
        case _ where mayBeOld: self = .undone(words(error))
        default: self = .failed(.deferred(words(error)), error)
        }
    }
}
