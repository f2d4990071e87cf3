/// A letter to one recipient on its way out, or what became of it.
package struct OutboxLetter: Sendable, Hashable {
    package typealias ID = FundCore.ID<OutboxLetter>

    /// The raw values stand in the database and in JSON.
    package enum State: String, Sendable, CaseIterable {
        /// It was not tried yet.
        case queued
        /// It is being handed to the server. If the process ends meanwhile, it is not known whether the server has it.
        case sending
        /// The server took it, and answers for it (RFC 5321 §4.2.5).
        case sent
        /// The server did not take it for now; it is tried again.
        case deferred
        /// The server refused it, or did not take it at the last attempt of `OutboxPace`.
        case failed
        /// The whole letter went out, and no answer came (RFC 1047): with a second attempt it may arrive twice.
        case uncertain
        /// It is not sent any more: an administrator gave it up, a limit held it back, or its mail is gone.
        case dropped

        /// Whether it waits for the relay.
        package var waits: Bool { self == .queued || self == .deferred }

        /// Words for several states: those that wait, and those that a person has to look at.
        package static let groups: [(name: String, states: Set<OutboxLetter.State>)] = [
            ("waiting", [.queued, .deferred]), ("troubled", [.failed, .uncertain]),
        ]

        /// The states of a word, of a group or of one; nil for another word.
        package static func named(_ word: String) -> Set<OutboxLetter.State>? {
            groups.first { $0.name == word }?.states ?? OutboxLetter.State(rawValue: word).map { [$0] }
        }
    }

    package var id: ID
    package var cause: OutboxCause
    /// The address of the recipient.
    package var recipient: String
    /// The part of its Message-ID before the `@`: 32 hexadecimal digits, kept over all attempts. A letter that a person
    /// wrote has one Message-ID for all recipients instead.
    package var mark: String
    package var state: State
    /// Times at which it was handed to a server.
    package var attempts: Int
    package var queuedAt: Timestamp
    /// Time at which it is tried next; nil where it does not wait.
    package var dueAt: Timestamp?
    /// Time at which the state became what it is; nil for one that was not tried yet.
    package var changedAt: Timestamp?
    /// The last reply of the server, or the reason for the state in English; nil for none.
    package var note: String?
    /// Whether it was uncertain once: it may have arrived, whatever its state is now.
    package var mayHaveArrived: Bool

    /// The part of the Message-ID that a server was given; nil for none.
    package var usedMark: String? { attempts > 0 && cause.kind != .letter ? mark : nil }

    /// Whether a person has to say that it may arrive twice before it is sent again: what waits is sent anyway.
    package var isAskedFirst: Bool {
        switch state {
        case .uncertain: true
        case .failed, .dropped: mayHaveArrived
        case .queued, .deferred, .sending, .sent: false
        }
    }

    package init(
        id: ID, cause: OutboxCause, recipient: String, mark: String, state: State, attempts: Int, queuedAt: Timestamp,
        dueAt: Timestamp?, changedAt: Timestamp?, note: String?, mayHaveArrived: Bool = false
    ) {
        self.id = id
        self.cause = cause
        self.recipient = recipient
        self.mark = mark
        self.state = state
        self.attempts = attempts
        self.queuedAt = queuedAt
        self.dueAt = dueAt
        self.changedAt = changedAt
        self.note = note
        self.mayHaveArrived = mayHaveArrived
    }
}
