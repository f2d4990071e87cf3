import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Rules that the desk learns from kept mail, and evidence of where it belongs.
@Suite struct LearntRuleTests {
    @Test func countsWhatALessonIsGoodFor() async throws {
        let harness = try await LibraryHarness()
        let (desk, base) = (harness.store.administration, harness.base)
        let id = try await harness.keep("1", .unknownFund, of: base.ann, tag: "Fnud")
        let (_, act) = try await base.assign(id)
        #expect(try await desk.learn(.alias("Fnud", of: base.fund.id), from: id, in: act, actor: "root@example.com"))
        let address = DeskRule.address("New@Example.com", of: base.ann.id)
        #expect(try await desk.learn(address, from: id, in: act, actor: "root@example.com"))
        #expect(try await !desk.learn(address, from: id, in: act, actor: "root@example.com"))
        #expect(try await desk.act(act).learnt == ["Fnud", "New@Example.com"])
        // By the tag, then from the address, then by neither.
        for (tag, sender) in [("FNUD", "ann@example.com"), ("Fund1", "new@example.com"), ("Fund1", "ann@example.com")] {
            var message = try base.message("Subject: \(tag) \(sender)\n\nx")
            message.decision.tag = tag
            if case .message(var parsed) = message.parsed {
                parsed.header.from = [AddressField(addresses: [NamedAddress(address: sender)])]
                message.parsed = .message(parsed)
            }
            _ = try await harness.store.mail.commit([try base.stage(message)])
        }
        var learnt = try await desk.learnt(PageQuery()).items
        #expect(learnt.map(\.hits) == [1, 1] && learnt.allSatisfy { $0.lastHitAt != nil })
        #expect(learnt.map(\.owner) == ["ann@example.com", "ann@example.com"] && learnt.map(\.fund) == [nil, "Fund1"])
        try await desk.takeBack(learnt[0].id, actor: "bob@example.com")
        await #expect(
            performing: { try await desk.takeBack(learnt[0].id, actor: "t") },
            throws: conflict("bob@example.com took “New@Example.com” back"))
        #expect(try await desk.user(base.ann.id).addresses == ["ann@example.com", "a@example.com"])
        // Undoing the act takes back the rest of it, and files nothing away.
        try await desk.undo(all: act)
        learnt = try await desk.learnt(PageQuery()).items
        #expect(learnt.allSatisfy { $0.takenBackAt != nil })
        #expect(try await desk.fund(base.fund.id).fund.aliases == ["F1"])
        #expect(try await desk.misroute(id).resolution == nil)
        // Both can be learnt by others now.
        #expect(try await desk.addAddress("new@example.com", to: harness.bob.id, actor: "t"))
    }

    @Test func findsEvidence() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        try await store.administration.addAddress("ann@fund.example", to: base.ann.id, actor: "t")
        try await store.administration.addAddress("x@notfund.example", to: harness.bob.id, actor: "t")
        for number in 0..<3 { try await base.file("Subject: \(number)\n\nx") }
        let gone = try #require(try await base.file("Subject: gone\n\nx").emailID)
        try await store.library.deleteEmail(gone, if: nil, of: base.ann.id)
        var evidence = try await store.administration.evidence(
            EvidenceQuestion(sender: "ANN@example.com", user: nil, references: ["a", "b'; --"]))
        #expect(evidence.mailsBySender == [base.fund.id: 3] && evidence.threads.isEmpty)
        #expect(evidence.addressesInDomain == [base.ann.id: 2, harness.bob.id: 1])
        #expect(evidence.lastMail[base.fund.id] != nil && evidence.lastMail[harness.bobsFund.id] == nil)
        evidence = try await store.administration.evidence(
            EvidenceQuestion(sender: "new@fund.example", user: nil, references: []))
        #expect(evidence.addressesInDomain == [base.ann.id: 1] && evidence.mailsBySender.isEmpty)
    }

    /// In the first block of the index, in the last, and between them.
    @Test func findsConversationsOfAllYears() async throws {
        let harness = try await LibraryHarness()
        let (store, base) = (harness.store, harness.base)
        let places: [Int64] = [1, 4095, 4096, 3 << 12 - 1, 9 << 12 + 5]
        for place in places {
            let filed = try #require(try await base.file("Subject: \(place)\n\nx").emailID)
            try base.store.connection.write("move") { db in
                try db.execute(
                    "UPDATE email SET id = ?1, internet_message_id = ?1 || '@example.com' WHERE id = ?2",
                    [place, filed])
            }
        }
        func threads(_ references: String...) async throws -> Set<Fund.ID> {
            try await store.administration.evidence(
                EvidenceQuestion(sender: nil, user: nil, references: references)
            ).threads
        }
        for place in places {
            #expect(try await threads("none@example.com", "\(place)@example.com") == [base.fund.id], "\(place)")
        }
        #expect(try await threads("2@example.com", "1", "1@EXAMPLE.COM").isEmpty)
        try await store.library.deleteEmail(EmailSummary.ID(4096), if: nil, of: base.ann.id)
        #expect(try await threads("4096@example.com").isEmpty)
        #expect(try await threads("4096@example.com", "4095@example.com") == [base.fund.id])
    }
}
