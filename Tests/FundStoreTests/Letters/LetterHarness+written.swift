import FundCore
import Testing

@testable import FundStore

/// Letters that Ann writes, for tests.
extension LibraryHarness {
    static let outside = "Cy <cy@corp.example>"

    func letter(
        _ items: [LibraryItemID] = [], to people: String = outside, cc: String = "", subject: String = "Q3",
        text: String = "Here it is.", _ change: (inout NewLetter) -> Void = { _ in }
    ) throws -> NewLetter {
        var letter = NewLetter(
            to: try AddressList(people).people, cc: try AddressList(cc).people, subject: subject, text: text,
            items: items, way: .attached)
        change(&letter)
        return letter
    }

    @discardableResult
    func send(
        _ letter: NewLetter, with contents: [LibraryItemID: LetterContent] = [:], _ policy: LetterPolicy = .init(),
        by user: User.ID? = nil
    ) async throws -> PersonalLetter {
        try await store.letters.addLetter(letter, with: contents, policy, of: user ?? ann).letter
    }

    /// The server takes, or does not take, the letters that wait; each gets the same outcome.
    func relay(_ outcome: OutboxResult = .sent("250 ok"), now: Timestamp = .now) async throws {
        var result: (OutboxLetter.ID, OutboxResult)?
        while let next = try await store.outbox.nextLetter(after: result.map { ($0.0, $0.1) }, now: now) {
            result = (next.id, outcome)
        }
    }

    func deliveries(_ letter: PersonalLetter) async throws -> [LetterRecipient.Delivery] {
        try await store.letters.letter(letter.summary.id, of: ann).summary.recipients.map(\.delivery)
    }

    /// The address to which a report about the first recipient's copy goes.
    func returnPath(_ letter: PersonalLetter) async throws -> String {
        let row = try #require(
            try await store.outbox.letters(OutboxFilter(), PageQuery()).items.last {
                $0.cause == .letter(letter.summary.id)
            })
        guard case .letter(let facts) = try await store.outbox.facts(of: row) else { throw StoreError(.io, "", "") }
        return "funds+\(facts.bounceMark)@corp.example"
    }

    /// A report about a letter comes in. Gives the note at its entry in the misrouted report.
    /// - Parameter attempt: nil for the last one.
    @discardableResult
    func report(
        _ letter: OutboxLetter.ID, _ finding: Bounce.Finding, _ status: String? = "5.1.1",
        text: String = "no such user", attempt: Int? = nil
    ) async throws -> String? {
        let last = try store.connection.read("read") { db in
            try db.value("SELECT attempts FROM outbox WHERE id = ?", [letter]) ?? 1
        }
        var message = try base.message(
            "Subject: Undelivered\n\n\(letter) \(finding) \(text) \(Int64.random(in: 0...(.max)))", reason: .bounce)
        message.bounce = Bounce(
            attempt: OutboxAttempt(letter: letter, number: attempt ?? last), finding: finding, status: status,
            reason: text)
        let stored = try await store.mail.commit([try base.stage(message)])[0]
        let id = try #require(stored.misrouteID)
        let record = try await store.administration.misroute(id)
        guard case .rejected? = record.resolution else { return nil }
        return try store.connection.read("read") { try $0.value("SELECT note FROM misroute WHERE id = ?", [id]) }
    }
}

/// Whether an error is a problem of a letter.
func problem(_ kind: InputProblem.Kind) -> @Sendable (any Error) -> Bool {
    { ($0 as? StoreError)?.problem == kind }
}

/// Whether an error has a code.
func failure(_ code: StoreError.Code) -> @Sendable (any Error) -> Bool { { ($0 as? StoreError)?.code == code } }
