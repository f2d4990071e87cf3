import FundCore
import Testing

@testable import FundStore

/// Digests of a store, for tests: the clock of people is UTC, and daily digests are due at the hour that has begun.
extension StoreHarness {
    static let (minute, hour, day) = (Duration.seconds(60), Duration.seconds(3600), Duration.seconds(86_400))

    /// A schedule whose day begins with the hour of `time`.
    static func schedule(from time: Timestamp) -> DigestSchedule {
        DigestSchedule(hour: Int(time.rawValue % 86_400 / 3600)) { _ in 0 }
    }

    @discardableResult
    func queueDigests(
        at now: Timestamp, _ schedule: DigestSchedule, limits: OutboxLimits = .usual
    ) async throws -> [Digest.Kind] {
        try await store.digests.queueDigests(schedule, limits: limits, now: now)
    }

    func choose(_ news: NewsPace, of user: User.ID? = nil) async throws {
        try await store.accounts.setDigests(DigestChange(news: news), of: user ?? ann.id, actor: "t")
    }

    /// Notes that all letters that are due were sent.
    func sendAll(at now: Timestamp) async throws {
        var result: (letter: OutboxLetter.ID, outcome: OutboxResult)?
        while let letter = try await store.outbox.nextLetter(after: result, now: now) {
            result = (letter.id, .sent("250"))
        }
    }

    /// The facts of the last letter.
    func lastFacts() async throws -> LetterFacts {
        try await store.outbox.facts(of: try #require(try await letters.last))
    }

    func lastNews() async throws -> NewsFacts {
        guard case .news(let facts) = try await lastFacts() else { throw NoNews() }
        return facts
    }

    private struct NoNews: Error {}

    /// A file that another than the owner put there, as through a link.
    func addFromOthers(_ name: String) async throws -> FileEntry.ID {
        let email = try #require(
            try await file("Subject: \(name)\n\n\(name)", parts: [Part(name: name, bytes: Array(name.utf8))]).emailID)
        return try store.connection.write("") { db in
            let file: FileEntry.ID = try #require(try db.value("SELECT max(id) FROM file"))
            try db.execute("UPDATE file SET attachment_id = NULL, is_from_others = 1 WHERE id = ?", [file])
            try db.execute("UPDATE email SET received_at = 0 WHERE id = ?", [email])
            try db.execute(
                "INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id) VALUES (?1, ?2, ?3, 1, ?1, ?2)",
                [ItemKind.email.rawValue, email, ann.id])
            return file
        }
    }
}
