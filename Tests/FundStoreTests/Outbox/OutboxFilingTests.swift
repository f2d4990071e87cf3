import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Letters are rows of the transaction that files the mail, and no other.
@Suite struct OutboxFilingTests {
    @Test func aLetterComesWithItsMail() async throws {
        let harness = try await StoreHarness()
        let stored = try await harness.fileAnswered("Subject: 1\n\n1")
        let letter = try #require(try await harness.letters.first)
        #expect(letter.cause == .filed(try #require(stored.emailID)))
        #expect(letter.recipient == "ann@example.com" && letter.mark.count == 32)
        #expect(letter.state == .queued && letter.attempts == 0 && letter.changedAt == nil && letter.note == nil)
        #expect(letter.dueAt == letter.queuedAt)
        // None comes with a duplicate, with mail that is not to be told, or with mail that is filed again from the log.
        #expect(try await harness.fileAnswered("Subject: 1\n\n1").outcome == .duplicate)
        try await harness.file("Subject: 2\n\n2")
        var old = try harness.message("Subject: 3\n\n3")
        (old.receipt, old.receivedAt) = (try StoreHarness.receipt(), Timestamp(1_000_000))
        #expect(try await harness.store.mail.commit([try harness.stage(old)])[0].outcome == .filed)
        #expect(try harness.count("outbox") == 1)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test(
        arguments: [
            (nil, .all, .filed), (nil, .filed, .filed), (nil, .problems, nil), (nil, .off, nil),
            (.noTag, .all, .kept), (.noTag, .problems, .kept), (.noTag, .filed, nil), (.noTag, .off, nil),
            (.tooLarge, .problems, .kept),
        ] as [(Reason?, ReceiptChoice, OutboxCause.Kind?)])
    func theSenderChooses(_ reason: Reason?, _ choice: ReceiptChoice, _ kind: OutboxCause.Kind?) async throws {
        let harness = try await StoreHarness()
        try await harness.fileAnswered("Subject: 1\n\n1", reason: reason, choice)
        #expect(try await harness.letters.map(\.cause.kind) == [kind].compactMap(\.self))
    }

    /// A transaction that fails leaves neither mail nor letter, whichever of them made it fail.
    @Test func mailAndLetterStandOrFallTogether() async throws {
        let harness = try await StoreHarness()
        var good = try harness.message("Subject: 1\n\n1")
        good.receipt = try StoreHarness.receipt()
        var bad = try harness.message("Subject: 2\n\n2")
        bad.decision.fund = Fund(id: Fund.ID(99), owner: harness.ann.id, name: "gone", aliases: [])
        let batch = [try harness.stage(good), try harness.stage(bad)]
        await #expect(throws: StoreError.self) { try await harness.store.mail.commit(batch) }
        #expect(try harness.count("email") == 0 && harness.count("outbox") == 0)

        try harness.store.connection.write("") { db in
            try db.run(
                script: """
                    CREATE TRIGGER refuse_letters BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no letter'); END;
                    """)
        }
        await #expect(throws: (any Error).self) { try await harness.fileAnswered("Subject: 3\n\n3") }
        #expect(try harness.count("email") == 0 && harness.count("outbox") == 0)
        try harness.store.connection.write("") { try $0.run(script: "DROP TRIGGER refuse_letters") }
        #expect(try await harness.fileAnswered("Subject: 3\n\n3").outcome == .filed)
        #expect(try harness.count("email") == 1 && harness.count("outbox") == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    // MARK: The desk

    @Test func theDeskTellsThatItWasFiledLater() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let id = try #require(try await harness.fileAnswered("Subject: 1\n\n1", reason: .noTag).misrouteID)
        #expect(try await harness.letters.map(\.cause) == [.kept(id)])
        // Why it was kept does not matter any more.
        let first = try await harness.assign(id, receipt: StoreHarness.receipt())
        #expect(try await harness.letters.last?.cause == .filedLater(try #require(first.stored.emailID)))
        #expect(try await harness.letterStates == ["kept dropped", "filed_later queued"])
        // Nothing was said yet, and it waits again.
        try await store.administration.undo(all: first.act)
        #expect(try await harness.letterStates == ["kept queued", "filed_later dropped"])
        #expect(try await harness.letters[0].note == nil)
        // This time the letter is out before the undo.
        let second = try await harness.assign(id, receipt: StoreHarness.receipt())
        #expect(try await harness.letterStates == ["kept dropped", "filed_later dropped", "filed_later queued"])
        let letter = try #require(try await store.outbox.nextLetter(after: nil, now: .now))
        #expect(letter.cause == .filedLater(try #require(second.stored.emailID)))
        try await store.outbox.note(.sent("250 ok"), of: letter.id, now: .now)
        try await store.administration.undo(all: second.act)
        #expect(try await harness.letterStates == ["kept dropped", "filed_later dropped", "filed_later sent"])
        // Without a wish to hear of it.
        try await harness.assign(id)
        #expect(try harness.count("outbox") == 3)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// The relay finds that the mail does not wait and drops the letter. It goes out once that act is undone.
    @Test(arguments: [true, false]) func anUndoneActTellsAgainWhyItWaits(isFiled: Bool) async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let id = try #require(
            try await harness.fileAnswered("Subject: 1\n\n1", reason: .noTag, of: harness.ann).misrouteID)
        let act: DeskAct.ID
        if isFiled {
            // The sender did not ask to hear of this, as where the fund is another person's.
            act = try await harness.assign(id).act
        } else {
            act = try await store.administration.begin(.reject, about: .init(), actor: "root")
            try await store.administration.reject(id, note: "x", in: act, actor: "root")
        }
        let letter = try #require(try await store.outbox.nextLetter(after: nil, now: .now))
        guard case .gone(let reason) = try await store.outbox.facts(of: letter) else {
            Issue.record("the letter would say that the mail waits")
            return
        }
        try await store.outbox.note(.dropped(reason), of: letter.id, now: .now)
        #expect(try await harness.letterStates == ["kept dropped"])
        try await store.administration.undo(all: act)
        #expect(try await harness.letterStates == ["kept deferred"])
        let again = try #require(try await store.outbox.nextLetter(after: nil, now: .now))
        guard case .kept = try await store.outbox.facts(of: again) else {
            Issue.record("the letter has nothing to say")
            return
        }
    }

    @Test func aSenderWhoFilesTheirOwnMailKnowsIt() async throws {
        let harness = try await StoreHarness()
        let stored = try await harness.fileAnswered("Subject: 1\n\n1", reason: .noTag, of: harness.ann)
        try await harness.assign(
            try #require(stored.misrouteID), by: .sender(harness.ann.id, email: harness.ann.email),
            receipt: StoreHarness.receipt())
        #expect(try await harness.letterStates == ["kept dropped"])
    }

    /// A letter does not lead to what was deleted for good.
    @Test func whatIsPurgedIsNotTold() async throws {
        let harness = try await StoreHarness()
        let stored = try await harness.fileAnswered("Subject: 1\n\n1")
        try await harness.store.library.delete(.email(try #require(stored.emailID)), of: harness.ann.id)
        #expect(try await harness.letterStates == ["filed queued"])
        _ = try await harness.store.library.emptyTrash(of: harness.ann.id)
        let letter = try #require(try await harness.letters.first)
        #expect(letter.state == .dropped && letter.dueAt == nil && letter.note?.contains("deleted for good") == true)
    }

    // MARK: What people choose

    @Test func choicesAreKnownAtOnce() async throws {
        let harness = try await StoreHarness()
        let (store, ann) = (harness.store, harness.ann)
        let address = try #require(EmailAddress("a@example.com"))
        func known() throws -> String {
            let directory = try store.mail.directory()
            return "\(directory.user(ann.id)?.receipts?.rawValue ?? "none") \(directory.isAnswered(address))"
        }
        #expect(try known() == "none false")
        var change = UserChange(receipts: .own(.problems), answeredAddress: "A@EXAMPLE.COM")
        let record = try await store.administration.changeUser(ann.id, change, actor: "root")
        #expect(record.user.receipts == .problems && record.answeredAddresses == ["a@example.com"])
        #expect(try known() == "problems true")
        // A second time it is no change.
        _ = try await store.administration.changeUser(ann.id, change, actor: "root")
        change = UserChange(receipts: .ofMailbox, unansweredAddress: "a@example.com")
        _ = try await store.administration.changeUser(ann.id, change, actor: "root")
        #expect(try known() == "none false")
        let notes: [String] = try store.connection.read("") {
            try $0.values("SELECT detail FROM audit WHERE action = 'user.update' ORDER BY id")
        }
        #expect(
            notes == [
                "receipts problems", "answered a@example.com", "receipts as the mailbox", "unanswered a@example.com",
            ])
        await #expect(throws: StoreError.self) {
            try await store.administration.changeUser(
                ann.id, UserChange(answeredAddress: "other@example.com"), actor: "root")
        }
    }
}
