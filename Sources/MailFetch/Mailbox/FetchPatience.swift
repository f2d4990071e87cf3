internal import MailConnection

/// Limits for failures of a server, after which a message or the whole run is given up.
enum FetchPatience {
    /// Connections lost in a row without a message between them.
    static let maxFruitlessConnections = 3
    /// How often a message is asked for that ends the connection each time.
    static let maxAttempts = 3
    /// Messages that end the connection each time, after which the server counts as broken.
    static let maxPoisonous = 10
    /// Refusals in a row, after which doubtful messages are left until the others came.
    static let maxRefusalsBeforeOthers = 10
    /// Refusals in a row, after which no more is asked for in this run. More than the pipelined commands of POP3.
    static let maxRefusals = 256
    /// A message that is so many times larger than allowed is not read to its end; that ends the connection.
    static let maxExcess: UInt64 = 4

    static let notAskedFor = "not asked for in this run, since the server gave none of the \(maxRefusals) before it"

    /// The error text of messages that are left for the next run.
    static func tooSlow(_ received: UInt64) -> String {
        "the server is too slow: in the time for one message only \(received) bytes come"
    }
}

/// Counts messages that a server lists and refuses to give.
struct FetchRefusals {
    /// Refusals since a message came.
    private var inRow = 0
    /// A message came in this run.
    private(set) var hasCome = false

    /// Messages that were given up in this run since the server refused them, and why the first was.
    private var givenUp = 0
    private var why: ConnectionError?

    mutating func noteRefused() { inRow += 1 }

    /// - Parameter line: what the server said of this message alone.
    mutating func noteGivenUp(_ line: String, during operation: String) {
        givenUp += 1
        why = why ?? ConnectionError(refusal: line, during: operation)
    }

    /// The error of a run that had none and in which not all is well: no message came, since the server has no time for
    /// any, or refuses each of those that are in the mailbox.
    func verdict(onMailboxOf messages: Int) -> ConnectionError? {
        guard !hasCome, let why, why.code == .throttled || givenUp >= messages else { return nil }
        return why
    }

    mutating func noteCame() { (inRow, hasCome) = (0, true) }

    /// Messages that were refused together are asked for one by one only after all others.
    var areOthersFirst: Bool { inRow > FetchPatience.maxRefusalsBeforeOthers }
    /// Nothing more is asked for in this run.
    var areTooMany: Bool { inRow >= FetchPatience.maxRefusals }
}
