import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Letters tell what is true when they are sent, and what their recipient may know.
@Suite struct LetterFactTests {
    private static func facts(
        _ cause: OutboxCause, in harness: StoreHarness, to recipient: String = "ann@example.com"
    ) async throws -> LetterFacts {
        let letter = OutboxLetter(
            id: 1, cause: cause, recipient: recipient, mark: "", state: .sending, attempts: 1, queuedAt: .now,
            dueAt: nil, changedAt: nil, note: nil)
        return try await harness.store.outbox.facts(of: letter)
    }

    private static func filed(_ facts: LetterFacts) throws -> FiledMailFacts {
        guard case .filed(let filed) = facts else { throw Unexpected(facts: facts) }
        return filed
    }

    private static func kept(_ facts: LetterFacts) throws -> KeptMailFacts {
        guard case .kept(let kept) = facts else { throw Unexpected(facts: facts) }
        return kept
    }

    private struct Unexpected: Error { let facts: LetterFacts }

    private static func isGone(_ facts: LetterFacts) -> Bool { if case .gone = facts { true } else { false } }

    private static let parts = [
        StoreHarness.Part(name: "b.pdf", bytes: [1, 2]), StoreHarness.Part(name: "a.pdf", bytes: [3]),
        StoreHarness.Part(name: "logo.png", bytes: [4], isInline: true),
    ]

    @Test func filedMailIsToldAsItLiesNow() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let email = try #require(try await harness.file("Subject: 1\n\n1", parts: Self.parts).emailID)
        let first = try Self.filed(try await Self.facts(.filed(email), in: harness))
        #expect(first.fund == "Fund1" && first.email == email && first.mail.recipientName == "Ann")
        #expect(first.mail.subject?.hasPrefix("[Fund1] ") == true)
        #expect(first.files.map(\.name) == ["b.pdf", "a.pdf"] && first.files.map(\.size) == [2, 1])
        #expect(first.fileCount == 2)
        #expect(try await Self.facts(.filedLater(email), in: harness) == .filed(first))

        // Who chose meanwhile to hear of problems alone still hears that mail was filed later.
        try await store.accounts.setReceipts(.own(.problems), of: harness.ann.id, actor: "t")
        #expect(Self.isGone(try await Self.facts(.filed(email), in: harness)))
        #expect(!Self.isGone(try await Self.facts(.filedLater(email), in: harness)))
        try await store.accounts.setReceipts(.ofMailbox, of: harness.ann.id, actor: "t")

        // Its owner goes on with it.
        let other = try await store.administration.addFund(
            name: "Other", owner: harness.ann.id, aliases: [], actor: "t")
        _ = try await store.library.moveEmail(email, to: other.id, if: nil, of: harness.ann.id)
        try await store.library.delete(.file(first.files[0].id), if: nil, of: harness.ann.id)
        let second = try Self.filed(try await Self.facts(.filed(email), in: harness))
        #expect(second.fund == "Other" && second.files.map(\.name) == ["a.pdf"] && second.fileCount == 1)

        try await store.library.deleteEmail(email, if: nil, of: harness.ann.id)
        #expect(Self.isGone(try await Self.facts(.filed(email), in: harness)))
        _ = try await store.library.restoreEmail(email, of: harness.ann.id)
        #expect(!Self.isGone(try await Self.facts(.filed(email), in: harness)))
        try await store.administration.archiveFund(other.id, actor: "t")
        #expect(Self.isGone(try await Self.facts(.filed(email), in: harness)))
        #expect(Self.isGone(try await Self.facts(.filed(999), in: harness)))
    }

    @Test func manyFilesAreCounted() async throws {
        let harness = try await StoreHarness()
        let parts = (0..<25).map { StoreHarness.Part(name: "\($0).txt", bytes: [UInt8($0)]) }
        let email = try #require(try await harness.file("Subject: 1\n\n1", parts: parts).emailID)
        let facts = try Self.filed(try await Self.facts(.filed(email), in: harness))
        #expect(facts.fileCount == 25 && facts.files.map(\.name) == (0..<20).map { "\($0).txt" })
    }

    /// Only the owner of the mail hears where it is, at an address that is still theirs.
    @Test func noOtherPersonHearsOfIt() async throws {
        let harness = try await StoreHarness()
        let administration = harness.store.administration
        let bob = try await administration.addUser(
            email: "bob@example.com", name: "Bob", isAdministrator: false, addresses: [], actor: "t")
        let email = try #require(try await harness.file("Subject: 1\n\n1").emailID)
        let kept = try #require(try await Self.keep("Subject: 2\n\n2", .noTag, in: harness))
        for cause in [OutboxCause.filed(email), .filedLater(email), .kept(kept)] {
            for (address, hears) in [
                ("ann@example.com", true), ("a@example.com", true), ("ann+x@example.com", true),
                ("bob@example.com", false), ("eve@example.com", false), ("no address", false),
            ] {
                let facts = try await Self.facts(cause, in: harness, to: address)
                #expect(Self.isGone(facts) != hears, "\(cause) \(address): \(facts)")
            }
        }
        try await administration.changeUser(harness.ann.id, UserChange(removedAddress: "a@example.com"), actor: "t")
        #expect(Self.isGone(try await Self.facts(.filed(email), in: harness, to: "a@example.com")))
        // The address is another person's by now.
        try await administration.addAddress("a@example.com", to: bob.id, actor: "t")
        #expect(Self.isGone(try await Self.facts(.kept(kept), in: harness, to: "a@example.com")))
        try await administration.giveFund(harness.fund.id, to: bob.id, actor: "t")
        #expect(Self.isGone(try await Self.facts(.filed(email), in: harness)))
        _ = try await administration.setDisabled(true, user: harness.ann.id, actor: "t")
        #expect(Self.isGone(try await Self.facts(.kept(kept), in: harness)))
    }

    @Test func keptMailNamesFundsOfItsSenderAlone() async throws {
        let harness = try await StoreHarness()
        let administration = harness.store.administration
        let bob = try await administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        try await administration.addFund(name: "Secret", owner: bob.id, aliases: [], actor: "t")
        for number in 2...8 {
            try await administration.addFund(name: "Fund\(number)", owner: harness.ann.id, aliases: [], actor: "t")
        }
        let message = try #require(
            try await Self.keep("Subject: 1\n\n1", .unknownFund, in: harness) {
                ($0.tag, $0.suggestions) = ("Fnd1", ["Fund1", "Secret", "Gone"])
            })
        let facts = try Self.kept(try await Self.facts(.kept(message), in: harness))
        #expect(facts.reason == .unknownFund && facts.tag == "Fnd1" && facts.suggestions == ["Fund1"])
        #expect(facts.funds == ["Fund1", "Fund2", "Fund3", "Fund4", "Fund5"] && facts.fundCount == 8)
        #expect(facts.isForSender && facts.mail.recipientName == "Ann" && facts.mail.messageID == "kept@example.com")
        let listed = try await harness.store.library.receivedMail(facts.received, of: harness.ann.id)
        #expect(listed.message == message)

        let large = try #require(try await Self.keep("Subject: 2\n\n2", .tooLarge, in: harness))
        #expect(try Self.kept(try await Self.facts(.kept(large), in: harness)).isForSender == false)
        // Another letter tells of its end, or none does.
        let act = try await administration.begin(.reject, about: .init(), actor: "t")
        try await administration.reject(message, note: "x", in: act, actor: "t")
        #expect(Self.isGone(try await Self.facts(.kept(message), in: harness)))
        #expect(Self.isGone(try await Self.facts(.kept(999), in: harness)))
        let forged = try #require(
            try await Self.keep("Subject: 3\n\n3", .noTag, in: harness) { $0.isUnverified = true })
        #expect(Self.isGone(try await Self.facts(.kept(forged), in: harness)))
    }

    private static func keep(
        _ raw: String, _ reason: Reason, in harness: StoreHarness,
        _ change: (inout RoutingDecision) -> Void = { _ in }
    ) async throws -> MisrouteRecord.ID? {
        var message = try harness.message(raw, reason: reason)
        message.decision.user = harness.ann
        change(&message.decision)
        guard case .message(var content) = message.parsed else { return nil }
        content.header.messageID = "kept@example.com"
        message.parsed = .message(content)
        return try await harness.store.mail.commit([try harness.stage(message)])[0].misrouteID
    }
}
