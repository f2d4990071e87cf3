import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Digests tell what is there when they are sent, to who may know it.
@Suite struct DigestFactTests {
    private let start = Timestamp.now
    private var schedule: DigestSchedule { StoreHarness.schedule(from: start) }

    private static func isGone(_ facts: LetterFacts) -> Bool { if case .gone = facts { true } else { false } }

    /// A store with a digest that waits, of what `fill` puts into it.
    private func harness(_ fill: (StoreHarness) async throws -> Void) async throws -> StoreHarness {
        let harness = try await StoreHarness()
        try await harness.choose(.daily)
        try await harness.queueDigests(at: start, schedule)
        try await fill(harness)
        #expect(try await harness.queueDigests(at: start + StoreHarness.day, schedule) == [.news])
        return harness
    }

    @Test func mailAndFilesOfOthersAreTold() async throws {
        let parts = [
            StoreHarness.Part(name: "a.pdf", bytes: [1]),
            StoreHarness.Part(name: "logo.png", bytes: [2], isInline: true),
        ]
        let harness = try await harness { harness in
            try await harness.file("Subject: 1\n\n1", parts: parts)
            _ = try await harness.addFromOthers("theirs.pdf")
        }
        let facts = try await harness.lastNews()
        #expect(facts.recipient == NotificationRecipient(user: harness.ann.id, name: "Ann", language: nil))
        let fund = try #require(facts.funds.first)
        #expect(fund.mails.map(\.fileCount) == [1] && fund.mails.first?.subject?.hasPrefix("[Fund1]") == true)
        #expect(fund.files.map(\.name) == ["theirs.pdf"] && facts.fileCount == 1 && facts.mailCount == 1)
    }

    @Test func namesAreLimitedInNumber() async throws {
        let harness = try await harness { harness in
            for number in 0..<12 { try await harness.file("Subject: \(number)\n\n\(number)") }
        }
        let facts = try await harness.lastNews()
        #expect(facts.mailCount == 12 && facts.funds.first?.mails.count == NewsFacts.maxItems)
        #expect(facts.funds.first?.mailCount == 12)
    }

    @Test func ownUploadsAreNoNews() async throws {
        let harness = try await StoreHarness()
        try await harness.choose(.daily)
        try await harness.queueDigests(at: start, schedule)
        let file = try await harness.addFromOthers("mine.pdf")
        try harness.store.connection.write("") {
            try $0.execute("UPDATE file SET is_from_others = 0 WHERE id = ?", [file])
        }
        #expect(try await harness.queueDigests(at: start + StoreHarness.day, schedule) == [])
    }

    /// Nothing tells of what was deleted, archived, given away or held back meanwhile.
    @Test func whatIsGoneIsNotTold() async throws {
        let part = StoreHarness.Part(name: "eicar.com", bytes: [7, 7])
        let harness = try await harness { harness in
            try await harness.file("Subject: 1\n\n1")
            try await harness.file("Subject: 2\n\n2", parts: [part])
            _ = try await harness.addFromOthers("theirs.pdf")
        }
        let store = harness.store
        #expect(try await harness.lastNews().mailCount == 2)
        try await store.quarantine.quarantine(part.digest, malware: "Eicar", at: start)
        let facts = try await harness.lastNews()
        #expect(facts.mailCount == 1 && facts.fileCount == 1)
        try await store.quarantine.quarantine(.of("theirs.pdf".utf8), malware: "Eicar", at: start)
        #expect(try await harness.lastNews().fileCount == 0)
        let first = try #require(facts.funds.first?.mails.first)
        try await store.library.deleteEmail(first.id, if: nil, of: harness.ann.id)
        #expect(Self.isGone(try await harness.lastFacts()))
        _ = try await store.library.restoreEmail(first.id, of: harness.ann.id)
        #expect(try await harness.lastNews().mailCount == 1)
        try await store.administration.archiveFund(harness.fund.id, actor: "t")
        #expect(Self.isGone(try await harness.lastFacts()))
    }

    /// A digest tells of mail that was held back, or lay in an archived fund, when an earlier one passed it.
    @Test(arguments: [NewsPace.atOnce, .hourly, .daily]) func whatComesToLightIsTold(pace: NewsPace) async throws {
        let harness = try await StoreHarness()
        let (store, ann, day) = (harness.store, harness.ann.id, StoreHarness.day)
        try await harness.choose(pace)
        try await harness.queueDigests(at: start, schedule)
        let part = StoreHarness.Part(name: "macro.xlsm", bytes: [7, 7])
        let held = try #require(try await harness.file("Subject: 1\n\n1", parts: [part]).emailID)
        let file = try await harness.addFromOthers("theirs.pdf")
        let plain = try #require(try await harness.file("Subject: 2\n\n2").emailID)
        try await store.quarantine.quarantine(part.digest, malware: "Macro", at: start)
        try await store.quarantine.quarantine(.of("theirs.pdf".utf8), malware: "Eicar", at: start)
        #expect(try await harness.queueDigests(at: start + day, schedule) == [.news])
        #expect(try await harness.lastNews().funds.first?.mails.map(\.id) == [plain])
        try await harness.sendAll(at: start + day)
        #expect(try await harness.queueDigests(at: start + day * 2, schedule) == [])
        // A digest of what came later passes it over once more.
        let next = try #require(try await harness.file("Subject: 3\n\n3").emailID)
        #expect(try await harness.queueDigests(at: start + day * 3, schedule) == [.news])
        #expect(try await harness.lastNews().funds.first?.mails.map(\.id) == [next])
        try await harness.sendAll(at: start + day * 3)

        try await store.quarantine.release(part.digest, actor: "root")
        try await store.administration.archiveFund(harness.fund.id, actor: "t")
        #expect(try await harness.queueDigests(at: start + day * 4, schedule) == [])
        _ = try await store.library.restore(.fund(harness.fund.id), unlessDeletedAfter: nil, of: ann)
        #expect(try await harness.queueDigests(at: start + day * 5, schedule) == [.news])
        #expect(try await harness.lastNews().funds.first?.mails.map(\.id) == [held])
        try await harness.sendAll(at: start + day * 5)
        #expect(try await harness.queueDigests(at: start + day * 6, schedule) == [])
        try await store.quarantine.release(.of("theirs.pdf".utf8), actor: "root")
        #expect(try await harness.queueDigests(at: start + day * 7, schedule) == [.news])
        #expect(try await harness.lastNews().funds.first?.files.map(\.id) == [file])
        #expect(try await harness.lastNews().mailCount == 0)
        try await harness.sendAll(at: start + day * 7)
        #expect(try await harness.queueDigests(at: start + day * 8, schedule) == [])
        #expect(try await harness.store.maintenance.verify().isSound)
        // Turned on anew, nothing of before is told.
        for pace in [NewsPace.off, .daily] { try await harness.choose(pace) }
        #expect(try harness.count("digest_item") == 0)
    }

    /// Mail of a fund that was archived before its digest is told when the fund is back.
    @Test func anArchivedFundIsToldWhenItIsBack() async throws {
        let harness = try await StoreHarness()
        let (store, ann, day) = (harness.store, harness.ann.id, StoreHarness.day)
        try await harness.choose(.daily)
        try await harness.queueDigests(at: start, schedule)
        let mail = try #require(try await harness.file("Subject: 1\n\n1").emailID)
        try await store.administration.archiveFund(harness.fund.id, actor: "t")
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        _ = try await store.library.restore(.fund(harness.fund.id), unlessDeletedAfter: nil, of: ann)
        #expect(try await harness.queueDigests(at: start + day * 2, schedule) == [.news])
        #expect(try await harness.lastNews().funds.first?.mails.map(\.id) == [mail])
    }

    @Test func onlyWhoMayKnowItIsTold() async throws {
        let harness = try await harness { try await $0.file("Subject: 1\n\n1") }
        let (store, ann) = (harness.store, harness.ann.id)
        try await harness.choose(.off)
        #expect(Self.isGone(try await harness.lastFacts()))
        // Turned on again, what was there before is no news.
        try await harness.choose(.hourly)
        #expect(try await harness.lastNews().mailCount == 1)
        _ = try await store.administration.setDisabled(true, user: ann, actor: "t")
        #expect(Self.isGone(try await harness.lastFacts()))
        try await harness.sendAll(at: start + StoreHarness.day)
        #expect(try await harness.queueDigests(at: start + StoreHarness.day * 2, schedule) == [])
        _ = try await store.administration.setDisabled(false, user: ann, actor: "t")
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        try await store.administration.giveFund(harness.fund.id, to: bob.id, actor: "t")
        #expect(Self.isGone(try await harness.lastFacts()))
        let letter = try #require(try await harness.letters.last)
        var other = letter
        other.recipient = "bob@example.com"
        #expect(Self.isGone(try await store.outbox.facts(of: other)))
    }
}
