import FundCore
import FundStore
import TestSupport

@testable import FundServer

/// Letters in a store, in states that only a relay and a mail server would give them.
enum LetterSamples {
    /// Writes a letter about mail, and gives its id.
    /// - Parameter note: the last reply of the server.
    static func add(
        _ state: OutboxLetter.State, to recipient: String = "ann@example.com", about cause: OutboxCause,
        attempts: Int = 1, note: String? = nil, queuedAt: Timestamp = .now, in store: String
    ) throws -> OutboxLetter.ID {
        let id = Int64.random(in: 1...(1 << 40))
        let due = state.waits ? "\((Timestamp.now + .seconds(3600)).rawValue)" : "NULL"
        let text = note.map { "'\($0.replacing("'", with: "''"))'" } ?? "NULL"
        try StoreSnapshot.execute(
            """
            INSERT INTO outbox (id, kind, cause, topic, recipient, mark, state, attempts, queued_at, due_at,
                changed_at, note)
            VALUES (\(id), '\(cause.kind.rawValue)', \(cause.subject), '\(id)', '\(recipient)', '\(id)',
                '\(state.rawValue)', \(state == .queued ? 0 : attempts), \(queuedAt.rawValue), \(due),
                \(state == .queued ? "NULL" : "\(Timestamp.now.rawValue)"), \(text))
            """, in: store)
        return OutboxLetter.ID(id)
    }
}

extension ServerHarness {
    /// A letter to Ann about her mail, which is filed; of another cause when another recipient is given.
    func letter(
        _ state: OutboxLetter.State, to recipient: String = "ann@example.com", note: String? = nil,
        queuedAt: Timestamp = .now
    ) throws -> OutboxLetter.ID {
        try LetterSamples.add(
            state, to: recipient, about: .filed(people.email), note: note, queuedAt: queuedAt, in: folder + "/store")
    }

    /// A letter that Ann wrote and that the mail server refused, with one item.
    func writtenLetter(_ item: LibraryItemID) async throws -> PersonalLetter.ID {
        let to = [Addressee(name: "Cy", address: "cy@corp.example")].compactMap(\.self)
        let letter = NewLetter(to: to, subject: "Q3", text: "Hello", items: [item])
        let (written, _) = try await store.letters.addLetter(
            letter, with: [:], LetterPolicy(perDay: 100_000), of: people.ann.id)
        try StoreSnapshot.execute(
            """
            UPDATE outbox SET state = 'failed', due_at = NULL, changed_at = queued_at, note = '550 no'
            WHERE kind = 'letter' AND cause = \(written.summary.id)
            """, in: folder + "/store")
        return written.summary.id
    }
}

extension ServerHarness.Options {
    /// With a mail server for letters, which no test reaches.
    var sendingLetters: Self {
        var options = self
        options.letterServer = LetterServer(name: "mail.corp.example", from: "Fundmail <funds@corp.example>")
        return options
    }
}
