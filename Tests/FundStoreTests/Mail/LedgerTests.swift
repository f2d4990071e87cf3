import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct LedgerTests {
    /// One thing that happens to the place `7/1` of a mailbox.
    enum Step: Sendable {
        case whole(String, Int64?)
        /// The server gave another number of bytes than it announced.
        case mismatch(String, Int64?)
        /// Only its header was fetched; these bytes are it.
        case header(String, Int64?)
        case departed
        case moved
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var steps: [Step]
        /// Outcomes of the messages among the steps.
        var outcomes: [Outcome]
        /// Nil when the place counts as departed.
        var place: DeliveredPlace?
        /// The delivery row: outcome and the message it shows.
        var row: String

        var testDescription: String { name }
    }

    static let cases = [
        Case(
            name: "filed", steps: [.whole("a", 10)], outcomes: [.filed],
            place: DeliveredPlace(place: "7/1", announcedBytes: 10), row: "filed a"),
        Case(
            name: "filed, size unknown", steps: [.whole("a", nil)], outcomes: [.filed],
            place: DeliveredPlace(place: "7/1"), row: "filed a"),
        Case(
            name: "came again because the server was not told", steps: [.whole("a", 10), .whole("a", 10)],
            outcomes: [.filed, .duplicate], place: DeliveredPlace(place: "7/1", announcedBytes: 10), row: "filed a"),
        Case(
            name: "the same bytes, announced otherwise", steps: [.whole("a", 10), .whole("a", 11)],
            outcomes: [.filed, .duplicate], place: DeliveredPlace(place: "7/1", announcedBytes: 11), row: "filed a"),
        Case(
            name: "the place used for another message", steps: [.whole("a", 10), .whole("b", 12)],
            outcomes: [.filed, .filed], place: DeliveredPlace(place: "7/1", announcedBytes: 12), row: "filed b"),
        Case(
            name: "used for another one of the same size", steps: [.whole("a", 10), .whole("b", 10)],
            outcomes: [.filed, .filed], place: DeliveredPlace(place: "7/1", announcedBytes: 10), row: "filed b"),
        Case(
            name: "not as announced", steps: [.mismatch("a", 10)], outcomes: [.filed],
            place: DeliveredPlace(place: "7/1", announcedBytes: 10, hasSizeMismatch: true), row: "filed a"),
        Case(
            name: "not as announced, then as announced", steps: [.mismatch("a", 10), .whole("a", 11)],
            outcomes: [.filed, .duplicate], place: DeliveredPlace(place: "7/1", announcedBytes: 11), row: "filed a"),
        Case(name: "departed", steps: [.whole("a", 10), .departed], outcomes: [.filed], place: nil, row: "filed a"),
        Case(
            name: "departed and used again", steps: [.whole("a", 10), .departed, .whole("b", 10)],
            outcomes: [.filed, .filed], place: DeliveredPlace(place: "7/1", announcedBytes: 10), row: "filed b"),
        Case(
            name: "departed and came again", steps: [.whole("a", 10), .departed, .whole("a", 10)],
            outcomes: [.filed, .duplicate], place: DeliveredPlace(place: "7/1", announcedBytes: 10),
            row: "duplicate a"),
        Case(
            name: "departed, came again, and the server was not told",
            steps: [.whole("a", 10), .departed, .whole("a", 10), .whole("a", 10)],
            outcomes: [.filed, .duplicate, .duplicate], place: DeliveredPlace(place: "7/1", announcedBytes: 10),
            row: "duplicate a"),
        Case(
            name: "the mailbox moved to another server", steps: [.whole("a", 10), .moved], outcomes: [.filed],
            place: nil, row: "filed a"),
        Case(
            name: "the mailbox moved, and another message has the number",
            steps: [.whole("a", 10), .moved, .whole("b", 10)],
            outcomes: [.filed, .filed], place: DeliveredPlace(place: "7/1", announcedBytes: 10), row: "filed b"),
        Case(
            name: "too large", steps: [.header("a", 900)], outcomes: [.rejected],
            place: DeliveredPlace(place: "7/1", announcedBytes: 900, isRefusedUnseen: true, isFiled: false),
            row: "rejected a"),
        Case(
            name: "still too large", steps: [.header("a", 900), .header("a", 900)], outcomes: [.rejected, .duplicate],
            place: DeliveredPlace(place: "7/1", announcedBytes: 900, isRefusedUnseen: true, isFiled: false),
            row: "rejected a"),
        Case(
            name: "too large, then whole", steps: [.header("a", 900), .whole("a with its body", 900)],
            outcomes: [.rejected, .filed], place: DeliveredPlace(place: "7/1", announcedBytes: 900),
            row: "filed a with its body"),
        Case(
            name: "too large, then whole, which is no more than its header",
            steps: [.header("a", 900), .whole("a", 900)], outcomes: [.rejected, .duplicate],
            place: DeliveredPlace(place: "7/1", announcedBytes: 900, isFiled: false), row: "rejected a"),
    ]

    @Test(arguments: cases) func aPlaceIsWhatItHeldLast(_ test: Case) async throws {
        let harness = try await StoreHarness()
        try await harness.store.mail.openMailbox("funds", at: "imaps://f@one/INBOX")
        // Nothing of this belongs to the place in question.
        try await harness.deliver("Subject: x\n\nother", at: "7/1", announcing: 1, in: "other")
        try await harness.deliver("Subject: x\n\nnext", at: "7/2", announcing: 1)
        var outcomes: [Outcome] = []
        for step in test.steps {
            switch step {
            case .whole(let text, let bytes):
                outcomes.append(
                    try await harness.deliver("Subject: x\n\n\(text)", at: "7/1", announcing: bytes).outcome)
            case .mismatch(let text, let bytes):
                let raw = "Subject: x\n\n\(text)"
                outcomes.append(
                    try await harness.deliver(raw, at: "7/1", announcing: bytes, hasSizeMismatch: true).outcome)
            case .header(let text, let bytes):
                let refusal = Refusal(reason: .tooLarge, detail: "900 bytes")
                let raw = "Subject: x\n\n\(text)"
                outcomes.append(
                    try await harness.deliver(raw, at: "7/1", announcing: bytes, refusal: refusal).outcome)
            case .departed: try harness.store.mail.noteDeparted(["7/1", "7/99"], in: "funds")
            case .moved: #expect(try await harness.store.mail.openMailbox("funds", at: "imaps://f@two/INBOX"))
            }
        }
        #expect(outcomes == test.outcomes)
        // Beside the one at 7/2.
        let places = try harness.store.mail.deliveredPlaces(in: "funds").filter { $0.place != "7/2" }
        #expect(places == (test.place.map { [$0] } ?? []))
        #expect(try harness.store.mail.deliveredPlaces(in: "other").count == 1)
        #expect(try harness.count("delivery") == 3)
        let row = try harness.store.connection.read("look") { db in
            try db.row(
                """
                SELECT delivery.outcome, message.digest FROM delivery JOIN message ON message.id = message_id
                WHERE delivery.mailbox = 'funds' AND delivery.place = '7/1'
                """)
        }
        let digest = try #require(row).digest("digest")
        let words = test.row.split(separator: " ", maxSplits: 1)
        #expect(row?["outcome"] as String? == String(words[0]))
        #expect(digest == .of(Array("Subject: x\n\n\(words[1])".utf8)))
    }

    /// The entry of the header, at which an administrator would have to look, goes when the whole message came.
    @Test(arguments: [nil, Reason.unknownFund]) func whatCameWholeSettlesItsHeader(_ reason: Reason?) async throws {
        let harness = try await StoreHarness()
        let refusal = Refusal(reason: .tooLarge, detail: "900 bytes")
        let id = try #require(
            try await harness.deliver("Subject: x\n\n", at: "7/1", announcing: 900, refusal: refusal).misrouteID)
        #expect(try await harness.store.mail.kept(id).refusal == refusal)
        // Another message, at another place or of another size, settles nothing.
        try await harness.deliver("Subject: x\n\none", at: "7/2", announcing: 900)
        try await harness.deliver("Subject: x\n\ntwo", at: "7/1", announcing: 800, in: "other")
        #expect(try await harness.store.administration.misroute(id).resolution == nil)
        let whole = try await harness.deliver("Subject: x\n\nbody", at: "7/1", announcing: 900, reason: reason)
        let resolution = try await harness.store.administration.misroute(id).resolution
        if let reason {
            #expect(resolution == .rejected(note: "it came whole: see misrouted \(try #require(whole.misrouteID))"))
            #expect(try await harness.store.administration.misroutes().map(\.reason) == [reason])
        } else {
            #expect(resolution == .filed(emailID: try #require(whole.emailID)))
            #expect(try await harness.store.administration.misroutes() == [])
        }
    }

    @Test func everyPlaceIsFoundUntilItDeparts() async throws {
        let places = ["7/1", "7/12", "7/\u{E000}", "%", "x\0y", "é1", "\u{10FFFF}\u{10FFFF}"]
        let harness = try await StoreHarness()
        for (number, place) in places.enumerated() {
            try await harness.deliver("Subject: x\n\n\(number)", at: place)
        }
        let found = try harness.store.mail.deliveredPlaces(in: "funds").map(\.place)
        #expect(found.count == places.count && Set(found) == Set(places.map(\.cleaned)))
        try harness.store.mail.noteDeparted(places, in: "funds")
        #expect(try harness.store.mail.deliveredPlaces(in: "funds") == [])
    }

    /// A plan of 100,000 rows that scans is slow; one that searches the index is fast on any machine.
    @Test func placesAreFoundByTheIndex() async throws {
        let harness = try await StoreHarness()
        try await harness.deliver("Subject: x\n\nbody", at: "7/1", announcing: 10)
        let message: Int64? = try harness.store.connection.read("look") {
            try $0.value("SELECT id FROM message")
        }
        try harness.store.connection.write("fill") { db in
            try db.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
                INSERT INTO delivery (mailbox, place, digest, message_id, outcome, at, announced_bytes)
                SELECT 'funds', '7/' || i, x'00', ?, 'filed', 0, i FROM n
                """, [message])
        }
        let start = ContinuousClock.now
        let found = try harness.store.mail.deliveredPlaces(in: "funds")
        #expect(found.count == 100_000)
        #expect(Set(found.map(\.place)).count == 100_000)
        #expect(ContinuousClock.now - start < .seconds(20))
        let plan = try harness.store.connection.read("explain") { db in
            try db.rows("EXPLAIN QUERY PLAN " + SQLMailStore.placesSQL, ["funds"]).map { $0["detail"] as String }
        }
        #expect(plan.first == "SEARCH delivery USING INDEX delivery_place (mailbox=?)")
        #expect(!plan.contains { $0.hasPrefix("SCAN") }, "\(plan)")
    }

    /// Whether it is in a fund shows what becomes of the server's copy.
    @Test func whatIsInAFundIsFiled() async throws {
        let harness = try await StoreHarness()
        func isFiled() throws -> [Bool] {
            try harness.store.mail.deliveredPlaces(in: "funds").sorted { $0.place < $1.place }
                .map(\.isFiled)
        }
        try await harness.deliver("Received: a\nSubject: x\n\nfiled", at: "1")
        try await harness.deliver("Received: b\nSubject: x\n\nfiled", at: "2")
        let kept = try await harness.deliver("Subject: x\n\nkept", at: "3", reason: .noTag)
        try await harness.deliver("Received: a\nSubject: x\n\ncopy", at: "4", reason: .noTag)
        try await harness.deliver("Received: b\nSubject: x\n\ncopy", at: "5", reason: .noTag)
        #expect(try isFiled() == [true, true, false, false, false])
        // Another copy is filed later.
        try await harness.deliver("Received: c\nSubject: x\n\ncopy", at: "6")
        #expect(try isFiled() == [true, true, false, true, true, true])
        try await harness.store.administration.reject(try #require(kept.misrouteID), note: "spam", actor: "t")
        #expect(try isFiled() == [true, true, false, true, true, true])
        try await harness.assign(try #require(kept.misrouteID))
        #expect(try isFiled() == [true, true, true, true, true, true])
    }

    @Test func whatHasNothingButAHeaderCanBeRoutedOnceItCameWhole() async throws {
        let harness = try await StoreHarness()
        let refusal = Refusal(reason: .tooLarge, detail: "900 bytes")
        let raw = "Subject: x\n\n"
        let id = try #require(
            try await harness.deliver(raw, at: "1", announcing: 900, refusal: refusal).misrouteID)
        #expect(try await harness.store.mail.kept(id).refusal == refusal)
        try await harness.deliver(raw, at: "1", announcing: 900)
        #expect(try await harness.store.mail.kept(id).refusal == nil)
    }
}
