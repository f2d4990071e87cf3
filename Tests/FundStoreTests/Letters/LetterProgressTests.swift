import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The progress of letters: states, reports that come back, and acts of their writers.
@Suite struct LetterProgressTests {
    @Test func statesAsTheirWriterSeesThem() async throws {
        let harness = try await LibraryHarness()
        let letters = harness.store.letters
        for (outcome, delivery) in [
            (OutboxResult.sent("250 ok"), LetterRecipient.Delivery.sent), (.failed("550 no"), .failed),
            (.deferred("451 later"), .waiting), (.uncertain("cut"), .uncertain), (.dropped("gone"), .dropped),
        ] {
            let letter = try await harness.send(try harness.letter())
            try await harness.relay(outcome)
            #expect(try await harness.deliveries(letter) == [delivery], "\(outcome)")
        }
        let troubled = try await letters.letters(LetterFilter(isTroubled: true), PageQuery(), of: harness.ann)
        #expect(troubled.items.map { $0.recipients[0].delivery } == [.uncertain, .failed])
        #expect(try await letters.countTroubledLetters(of: harness.ann) == 2)
        #expect(try await letters.countTroubledLetters(of: harness.bob.id) == 0)
    }

    @Test func writersSendAgainAndGiveUp() async throws {
        let harness = try await LibraryHarness()
        let letters = harness.store.letters
        let id = try await harness.send(try harness.letter()).summary.id
        await #expect(performing: { try await letters.removeLetter(id, of: harness.ann) }, throws: failure(.conflict))
        try await harness.relay(.uncertain("cut off after the dot"))
        await #expect(
            performing: { try await letters.sendLetterAgain(id, to: 1, mayArriveTwice: false, of: harness.ann) },
            throws: failure(.conflict))
        var letter = try await letters.sendLetterAgain(id, to: 1, mayArriveTwice: true, of: harness.ann)
        #expect(letter.summary.recipients[0].delivery == .waiting)
        letter = try await letters.giveLetterUp(id, to: 1, of: harness.ann)
        #expect(letter.summary.recipients[0].delivery == .dropped)
        await #expect(
            performing: { try await letters.giveLetterUp(id, to: 1, of: harness.ann) }, throws: failure(.conflict))
        await #expect(
            performing: { try await letters.giveLetterUp(id, to: 2, of: harness.ann) }, throws: failure(.notFound))
        // It may have arrived once, so that it is asked about still.
        #expect(letter.summary.recipients[0].isAskedFirst)
        _ = try await letters.sendLetterAgain(id, to: 1, mayArriveTwice: true, of: harness.ann)
        try await harness.relay()
        await #expect(
            performing: { try await letters.sendLetterAgain(id, to: 1, mayArriveTwice: true, of: harness.ann) },
            throws: failure(.conflict))
        let actions = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items.map(\.action)
        #expect(actions.prefix(4) == ["letter.retry", "letter.drop", "letter.retry", "letter.send"])
    }

    // MARK: Reports

    @Test func reportsMarkTheRecipient() async throws {
        let harness = try await LibraryHarness()
        let letter = try await harness.send(try harness.letter(to: "cy@corp.example, d@x.org"))
        try await harness.relay()
        let rows = try await harness.base.letters
        let late = try await harness.report(rows[0].id, .delayed, "4.4.1", text: "no route")
        #expect(late == "noted at letter \(rows[0].id) to cy@corp.example: 4.4.1: no route")
        #expect(try await harness.deliveries(letter) == [.delayed, .sent])
        try await harness.report(rows[0].id, .failed)
        #expect(try await harness.deliveries(letter) == [.bounced, .sent])
        let found = try await harness.store.letters.letter(letter.summary.id, of: harness.ann)
        let person = found.summary.recipients[0]
        #expect(person.note == "5.1.1: no such user" && !person.isAskedFirst && person.delivery.canBeSentAgain)
        #expect(found.summary.isTroubled)
        // A report that comes again, or says nothing worse, changes nothing.
        #expect(try await harness.report(rows[0].id, .failed)?.contains("says so already") == true)
        #expect(try await harness.report(rows[0].id, .delayed)?.contains("says so already") == true)
        #expect(try await harness.report(rows[1].id, .other)?.contains("not on its way") == true)
        #expect(try await harness.deliveries(letter) == [.bounced, .sent])
        // It came back, so that it is sent again without a question.
        let again = try await harness.store.letters.sendLetterAgain(
            letter.summary.id, to: 1, mayArriveTwice: false, of: harness.ann)
        #expect(again.summary.recipients[0].delivery == .waiting && again.summary.recipients[0].note != nil)
        // A report about the attempt before comes late.
        #expect(try await harness.report(rows[0].id, .failed)?.contains("not on its way") == true)
        try await harness.relay()
        #expect(try await harness.deliveries(letter) == [.sent, .sent])
        // Nothing of it waits at the desk.
        #expect(try await harness.store.administration.deskCounts(since: .now).waiting == 0)
    }

    /// A report names the attempt that it is about: one that comes late says nothing of the attempt that followed.
    @Test(arguments: [OutboxResult.sent("250 ok"), .uncertain("cut off after the dot")])
    func aLateReportLeavesTheNextAttempt(first outcome: OutboxResult) async throws {
        let harness = try await LibraryHarness()
        let (letter, letters) = (try await harness.send(try harness.letter()), harness.store.letters)
        // The server takes it at the second attempt.
        try await harness.relay(.deferred("451 later"))
        try await harness.relay(outcome, now: .now + .seconds(7200))
        let row = try #require(try await harness.base.letters.first)
        let paths = [try await harness.returnPath(letter)]
        #expect(try harness.store.mail.attempt(ofReturnPath: paths[0]) == OutboxAttempt(letter: row.id, number: 2))
        // An attempt of the same sending may have arrived although the server put it off.
        try await harness.report(row.id, .delayed, attempt: 1)
        try await harness.report(row.id, .failed, attempt: 2)
        #expect(try await harness.deliveries(letter) == [.bounced])
        _ = try await letters.sendLetterAgain(letter.summary.id, to: 1, mayArriveTwice: true, of: harness.ann)
        try await harness.relay()
        for finding in [Bounce.Finding.delayed, .failed] {
            for attempt in 1...2 {
                let note = try await harness.report(row.id, finding, attempt: attempt)
                #expect(note?.contains("was sent again since") == true, "\(note ?? "")")
            }
        }
        #expect(try await harness.deliveries(letter) == [.sent])
        #expect(try await harness.returnPath(letter) != paths[0])
        #expect(try await harness.report(row.id, .failed, attempt: 3)?.hasPrefix("noted at letter") == true)
        #expect(try await harness.deliveries(letter) == [.bounced])
    }

    /// A letter that an administrator has sent again is a new attempt for its writer, too.
    @Test func anAdministratorSendsAgainWhatCameBack() async throws {
        let harness = try await LibraryHarness()
        let letter = try await harness.send(try harness.letter())
        try await harness.relay(.uncertain("cut"))
        let row = try #require(try await harness.base.letters.first)
        try await harness.report(row.id, .failed)
        #expect(try await harness.deliveries(letter) == [.bounced])
        try await harness.store.outbox.retryLetter(row.id, mayArriveTwice: true, actor: "root")
        try await harness.relay()
        #expect(try await harness.deliveries(letter) == [.sent])
    }

    @Test func reportsThatAreAboutNothing() async throws {
        let harness = try await LibraryHarness()
        try harness.base.queue(.filed(1), at: .now)
        let receipt = try #require(try await harness.base.letters.first)
        #expect(try await harness.report(receipt.id, .failed)?.contains("is gone") == true)
        #expect(try await harness.report(999, .failed)?.contains("is gone") == true)
        let letter = try await harness.send(try harness.letter())
        try await harness.relay()
        let row = try #require(try await harness.base.letters.last)
        let old = Timestamp.now - .seconds(31 * 86_400)
        try harness.store.connection.write("age") { db in
            try db.execute("UPDATE letter SET sent_at = ?", [old])
            try db.execute("UPDATE outbox SET changed_at = ?", [old])
        }
        #expect(try await harness.report(row.id, .failed)?.contains("long ago") == true)
        #expect(try await harness.deliveries(letter) == [.sent])
    }

    @Test func returnPathsAreSealed() async throws {
        let harness = try await LibraryHarness()
        let letter = try await harness.send(try harness.letter())
        let row = try #require(try await harness.base.letters.first)
        let path = try await harness.returnPath(letter)
        let attempt = OutboxAttempt(letter: row.id, number: row.attempts)
        let mail = harness.store.mail
        #expect(try mail.attempt(ofReturnPath: path) == attempt)
        #expect(try mail.attempt(ofReturnPath: path.uppercased()) == attempt)
        #expect(try mail.attempt(ofReturnPath: path.replacing("+", with: "-")) == attempt)
        let mark = try #require(path.split(separator: "@").first)
        #expect(mark.utf8.count <= 64)
        for forged in [
            "funds+b.\(row.id).0.00000000000000000000@corp.example", "funds+b.2.0.\(mark.suffix(20))@corp.example",
            "funds+b.\(row.id).1.\(mark.suffix(20))@corp.example", "funds+b.\(row.id).\(mark.suffix(20))@corp.example",
            "funds+b.\(row.id).00.\(mark.suffix(20))@corp.example", "funds+b.\(row.id).-0.\(mark.suffix(20))@x.org",
            "funds@corp.example", "b...@corp.example", "funds+b.\(row.id).0@corp.example", "", "@", "funds+b.x.y.z@x",
            "funds+b.99999999999999999999999.0.\(mark.suffix(20))@corp.example",
            "funds+b.\(row.id).99999999999999999999999.\(mark.suffix(20))@corp.example",
        ] { #expect(try mail.attempt(ofReturnPath: forged) == nil, "\(forged)") }
    }

    // MARK: Rows of an earlier time

    /// A letter of which the outbox knows nothing may have arrived.
    @Test func aLostRowIsUncertain() async throws {
        let harness = try await LibraryHarness()
        let letter = try await harness.send(try harness.letter())
        try harness.store.connection.write("lose") { try $0.execute("DELETE FROM outbox") }
        #expect(try await harness.deliveries(letter) == [.uncertain])
        #expect(try await harness.store.letters.countTroubledLetters(of: harness.ann) == 1)
        await #expect(
            performing: {
                try await harness.store.letters.sendLetterAgain(
                    letter.summary.id, to: 1, mayArriveTwice: false, of: harness.ann)
            }, throws: failure(.conflict))
        _ = try await harness.store.letters.sendLetterAgain(
            letter.summary.id, to: 1, mayArriveTwice: true, of: harness.ann)
        try await harness.relay()
        #expect(try await harness.deliveries(letter) == [.sent])
    }

    @Test func aRestoredStoreSendsNoLetterByItself() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf", "the report")
        let letter = try await harness.send(try harness.letter([.file(file.id)]))
        let folder = harness.base.folder
        _ = try await harness.store.maintenance.backUp(to: folder + "/backup")
        _ = try BackupFolder(path: folder + "/backup").restore(nil, to: folder + "/restored")
        try harness.store.close()
        harness.base.store = try FundStore.open(at: folder + "/restored", mode: .existing)
        #expect(try await harness.deliveries(letter) == [.uncertain])
        let attachment = try #require(letter.attachments.first)
        #expect(try harness.store.letters.content(of: attachment).size == 10)
        let next = try await harness.send(try harness.letter())
        #expect(next.summary.id.rawValue > StoreHistory.passedIDs)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func verifyFindsLettersThatChanged() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf", "the report")
        try await harness.send(try harness.letter([.file(file.id)]))
        #expect(try await harness.store.maintenance.verify().isSound)
        try harness.store.connection.write("damage") {
            try $0.execute("UPDATE letter_attachment SET size = 11")
            try $0.execute("DELETE FROM letter_recipient")
        }
        let found = try await harness.store.maintenance.verify().findings.map(\.detail)
        for words in ["sends a file of another size", "has no recipient"] {
            #expect(found.contains { $0.contains(words) }, "\(found)")
        }
    }

    /// Letters of people stay as long as what they tell of.
    @Test func oldRowsStayWithTheirLetter() async throws {
        let harness = try await LibraryHarness()
        let letter = try await harness.send(try harness.letter())
        try await harness.relay()
        let later = Timestamp.now + .seconds(400 * 86_400)
        func forget() throws {
            try harness.store.connection.write("forget") { try OutboxRows(db: $0, now: later).forget(before: later) }
        }
        try forget()
        #expect(try await harness.deliveries(letter) == [.sent])
        try await harness.store.letters.removeLetter(letter.summary.id, of: harness.ann)
        try forget()
        #expect(try harness.base.count("outbox") == 0)
    }
}
