internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A copy that an administrator filed by hand for another owner stands in for nothing that the rules file.
@Suite struct HandFiledCopyTests {
    private static let mail = """
        From: ann@example.com
        Date: Mon, 10 Nov 2025 09:12:33 +0100
        Message-ID: <1@example.com>
        Subject: [Fund1] Q3

        body
        """
    private static let doubtful = "Authentication-Results: mx.corp.example; dmarc=fail\n" + mail
    private static let genuine = "Authentication-Results: mx.corp.example; dmarc=pass\n" + mail
    private static let byList = "List-Id: <team.lists.example.org>\n" + genuine

    private struct Row: Equatable {
        var email: Int64
        var owner: String

        init(_ email: Int64, _ owner: String) { (self.email, self.owner) = (email, owner) }
    }

    private func emails(_ harness: LibraryHarness) throws -> [Row] {
        try harness.store.connection.read("list") { db in
            try db.rows("SELECT email.id, \"user\".email FROM email JOIN \"user\" ON \"user\".id = user_id ORDER BY 1")
                .map { Row($0[0], $0[1]) }
        }
    }

    /// A store in which an unverified copy of Ann's mail was filed for Bob.
    private func withCopyOfBob() async throws -> (harness: LibraryHarness, act: DeskAct.ID) {
        let harness = try await LibraryHarness()
        let kept = try await harness.base.file(Self.doubtful, reason: .unverifiedSender)
        let id = try #require(kept.misrouteID)
        return (harness, try await harness.base.assign(id, to: harness.bobsFund, of: harness.bob).act)
    }

    @Test func theGenuineMailIsFiledForItsPerson() async throws {
        let (harness, _) = try await withCopyOfBob()
        #expect(try await !harness.store.mail.holds(harness.base.message(Self.genuine)))
        let filed = try await harness.base.file(Self.genuine)
        #expect(filed.outcome == .filed)
        let bobs = try #require(filed.copy)
        #expect(bobs.user == harness.bob.email && bobs.fund == harness.bobsFund.name)
        #expect(try emails(harness) == [Row(1, harness.bob.email), Row(2, "ann@example.com")])
        // Once: whatever comes now is a copy of that one.
        for text in [Self.genuine, Self.byList, "Received: x\n" + Self.doubtful] {
            let again = try await harness.base.file(text)
            #expect(again.outcome == .duplicate)
            #expect(again.copy?.user == "ann@example.com" && again.emailID == filed.emailID)
        }
        let doubtful = try await harness.base.file("Received: y\n" + Self.doubtful, reason: .unverifiedSender)
        #expect(doubtful.outcome == .duplicate && doubtful.emailID == filed.emailID)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The genuine mail whose tag finds no fund waits for its person, once, however the copies come.
    @Test func theGenuineMailWaitsWhereItFindsNoFund() async throws {
        let (harness, _) = try await withCopyOfBob()
        func keep(_ text: String) async throws -> StoredMessage {
            var message = try harness.base.message(text, reason: .unknownFund)
            message.decision.user = harness.base.ann
            return try await harness.store.mail.commit([harness.base.stage(message)])[0]
        }
        let waiting = try await keep(Self.genuine)
        #expect(waiting.outcome == .misrouted && waiting.copy?.user == harness.bob.email)
        for text in [Self.byList, "Received: x\n" + Self.genuine] {
            let again = try await keep(text)
            #expect(again.outcome == .duplicate && again.misrouteID == waiting.misrouteID)
        }
        let doubtful = try await harness.base.file("Received: y\n" + Self.doubtful, reason: .unverifiedSender)
        #expect(doubtful.outcome == .duplicate)
        #expect(try await harness.store.administration.misroutes().count == 1)
    }

    /// Staged at once, before the first was committed.
    @Test func copiesInOneBatchAreFiledOnce() async throws {
        let (harness, _) = try await withCopyOfBob()
        let batch = try [Self.genuine, Self.byList].map { try harness.base.stage(harness.base.message($0)) }
        let stored = try await harness.store.mail.commit(batch)
        #expect(stored.map(\.outcome) == [.filed, .duplicate])
        #expect(try harness.base.count("email") == 2)
    }

    @Test func undoneAndComeAgainItIsFiledOnce() async throws {
        for isFiledBefore in [false, true] {
            let (harness, act) = try await withCopyOfBob()
            if isFiledBefore { #expect(try await harness.base.file(Self.byList).outcome == .filed) }
            try await harness.store.administration.undo(all: act)
            let outcome: Outcome = isFiledBefore ? .duplicate : .filed
            #expect(try await harness.base.file(Self.genuine).outcome == outcome)
            #expect(try emails(harness).map(\.owner) == ["ann@example.com"])
            #expect(try await harness.store.administration.misroutes() == [])
            #expect(try await harness.store.maintenance.verify().isSound)
        }
    }

    /// Copies that were settled with the one that is undone do not wait for what was filed meanwhile.
    @Test func undoingSettlesEachCopy() async throws {
        let harness = try await LibraryHarness()
        let first = try await harness.base.file(Self.doubtful, reason: .unverifiedSender)
        let second = try await harness.base.file("Received: x\n" + Self.doubtful, reason: .unknownSender)
        #expect(second.outcome == .misrouted)
        let act = try await harness.base.assign(
            #require(first.misrouteID), to: harness.bobsFund, of: harness.bob
        ).act
        #expect(try await harness.base.file(Self.genuine).outcome == .filed)
        try await harness.store.administration.undo(all: act)
        #expect(try await harness.store.administration.misroutes() == [])
    }

    /// The rules decided, or the very same bytes came: what was decided stands.
    @Test func whatTheRulesFiledStandsInAlsoElsewhere() async throws {
        let harness = try await LibraryHarness()
        let kept = try await harness.base.file(Self.doubtful, reason: .unknownFund)
        try await harness.base.assign(
            #require(kept.misrouteID), to: harness.bobsFund, of: harness.bob, sender: harness.bob)
        let copy = try await harness.base.file(Self.genuine)
        #expect(copy.outcome == .duplicate && copy.copy?.user == harness.bob.email)
        #expect(try harness.base.count("email") == 1)
    }

    @Test func theSameBytesComeOnce() async throws {
        let (harness, _) = try await withCopyOfBob()
        let again = try await harness.base.file(Self.doubtful)
        #expect(again.outcome == .duplicate && again.copy?.user == harness.bob.email)
    }

    /// An administrator who files it for its own person has decided for all copies.
    @Test func aCopyOfTheSameOwnerStandsIn() async throws {
        let harness = try await LibraryHarness()
        let kept = try await harness.base.file(Self.doubtful, reason: .unverifiedSender)
        try await harness.base.assign(#require(kept.misrouteID))
        #expect(try await harness.base.file(Self.genuine).outcome == .duplicate)
    }

    /// A proven copy that waits for a fund of its person goes on waiting, and is filed there.
    @Test func aProvenCopyAtTheDeskIsNotSettledByAnothersFiling() async throws {
        let harness = try await LibraryHarness()
        let (base, desk) = (harness.base, harness.store.administration)
        var genuine = try base.message(Self.genuine, reason: .unknownFund)
        genuine.decision.user = base.ann
        let waiting = try #require(await harness.store.mail.commit([try base.stage(genuine)])[0].misrouteID)
        var doubtful = try base.message(Self.doubtful, reason: .unverifiedSender)
        doubtful.decision.user = base.ann
        let kept = try #require(await harness.store.mail.commit([try base.stage(doubtful)])[0].misrouteID)
        try await base.assign(kept, to: harness.bobsFund, of: harness.bob)
        #expect(try await desk.misroutes().map(\.id) == [waiting])
        let filed = try await base.assign(waiting, sender: base.ann).stored
        #expect(filed.outcome == .filed)
        #expect(try emails(harness).map(\.owner) == [harness.bob.email, "ann@example.com"])
        #expect(try await base.file(Self.byList).emailID == filed.emailID)
    }

    /// Rows of messages that come from the log have the marks that they had, also where an email has given its own up.
    @Test func rowsFromTheLogKeepTheirMarks() async throws {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        let bob = try await harness.store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        let fund = try await harness.store.administration.addFund(
            name: "Fund1", owner: bob.id, aliases: [], actor: "test")
        let kept = try await harness.deliver(Self.doubtful, at: "1", reason: .unverifiedSender)
        _ = try await harness.assign(try #require(kept.misrouteID), to: fund, of: bob)
        #expect(try await harness.deliver(Self.genuine, at: "2").outcome == .filed)
        func marks(of table: String) throws -> [Data] {
            try harness.store.connection.read("") { try $0.values("SELECT fingerprint FROM \(table) ORDER BY id") }
        }
        let (before, emails) = (try marks(of: "message"), try marks(of: "email"))
        #expect(Set(before).count == 1 && Set(emails).count == 2)
        try damaged.zeroPage(of: "message")
        #expect(try await harness.store.maintenance.verify(repairing: KnownParts([])).isSound)
        #expect(try marks(of: "message") == before && marks(of: "email") == emails)
    }
}
