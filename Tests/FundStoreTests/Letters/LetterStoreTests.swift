import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Letters that people write: what is queued, and who may see it.
@Suite struct LetterStoreTests {
    @Test func aLetterIsQueuedWithItsFiles() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf", "the report")
        let letter = try await harness.send(
            try harness.letter([.file(file.id)], to: "Cy <Cy@corp.example>, d@x.org", cc: "\"E, F\" <e@x.org>") {
                $0.sendsCopy = true
            })
        let people = letter.summary.recipients
        #expect(people.map(\.role) == [.to, .to, .cc, .copy])
        #expect(people.map(\.addressee.address) == ["Cy@corp.example", "d@x.org", "e@x.org", "ann@example.com"])
        #expect(people.allSatisfy { $0.delivery == .waiting && $0.note == nil })
        #expect(letter.senderName == "Ann" && letter.replyTo == "ann@example.com")
        #expect(letter.summary.fund == harness.base.fund.id && letter.items == [.file(file.id)])
        #expect(letter.attachments.map(\.name) == ["report.pdf"] && letter.attachments[0].size == 10)
        let rows = try await harness.base.letters
        #expect(rows.map(\.recipient) == ["cy@corp.example", "d@x.org", "e@x.org", "ann@example.com"])
        #expect(rows.allSatisfy { $0.cause == .letter(letter.summary.id) && $0.state == .queued })
        guard case .letter(let facts) = try await harness.store.outbox.facts(of: rows[0]) else {
            Issue.record("it has no facts")
            return
        }
        #expect(facts.to.map(\.text) == ["Cy <Cy@corp.example>", "d@x.org"] && facts.cc.map(\.name) == ["E, F"])
        #expect(facts.recipient.address == "Cy@corp.example" && facts.subject == "Q3" && facts.mark.utf8.count == 32)
        let list = try await harness.store.letters.letters(LetterFilter(), PageQuery(), of: harness.ann)
        #expect(list.items == [letter.summary])
        let audit = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items.first
        #expect(audit?.action == "letter.send" && audit?.subject == "letter \(letter.summary.id)")
        #expect(audit?.detail == "to Cy@corp.example d@x.org e@x.org ann@example.com; 1 items")
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The bytes that go out are those that the person saw, whatever becomes of the file.
    @Test func whatIsSentIsFrozen() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf", "first")
        let letter = try await harness.send(try harness.letter([.file(file.id)]))
        let attachment = try #require(letter.attachments.first)
        func bytes() throws -> String {
            var bytes: [UInt8] = []
            try harness.store.letters.content(of: attachment).read(0..<attachment.size) { bytes += $0 }
            return String(decoding: bytes, as: UTF8.self)
        }
        try await harness.put("report.pdf", "second and longer")
        let place = harness.place(try await harness.folder("Folder"))
        _ = try await harness.store.library.move(
            .file(file.id), to: place, named: "other.pdf", ifTaken: .refuse, of: harness.ann)
        #expect(try bytes() == "first")
        // The fact stands at the file still.
        let there = try await harness.store.letters.letters(
            LetterFilter(item: .file(file.id)), PageQuery(), of: harness.ann)
        #expect(there.items.map(\.id) == [letter.summary.id])
        try await harness.store.library.delete(.file(file.id), of: harness.ann)
        _ = try await harness.store.library.emptyTrash(of: harness.ann)
        #expect(try bytes() == "first")
        let now = try await harness.store.letters.letter(letter.summary.id, of: harness.ann)
        #expect(now.attachments == [attachment] && now.attachments[0].name == "report.pdf")
        try await harness.relay()
        // With the letter its bytes go.
        try await harness.store.letters.removeLetter(letter.summary.id, of: harness.ann)
        #expect(throws: StoreError.self) { try bytes() }
        #expect(try harness.base.count("letter_attachment") == 0 && harness.base.count("letter_item") == 0)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func filesThatAreMadeForALetter() async throws {
        let harness = try await LibraryHarness()
        let folder = try await harness.folder("Q3")
        _ = try await harness.put("a", "aaaa", in: harness.place(folder))
        let note = try await harness.store.library.addNote(
            NoteText(title: "To/do", content: "x"), in: harness.base.fund.id, of: harness.ann)
        let items = try await harness.store.letters.letterItems([.folder(folder.id), .note(note.id)], of: harness.ann)
        #expect(items.map(\.name) == ["Q3.zip", "To-do.txt"] && items[0].size == 4)
        let letter = try harness.letter([.folder(folder.id), .note(note.id)])
        await #expect(performing: { try await harness.send(letter) }, throws: failure(.invalid))
        // Both are the same bytes, which stand in the log once.
        func contents() throws -> [LibraryItemID: LetterContent] {
            try [LibraryItemID.folder(folder.id), .note(note.id)].reduce(into: [:]) {
                $0[$1] = LetterContent(name: "made", upload: try harness.upload("made"))
            }
        }
        let sent = try await harness.send(letter, with: contents())
        #expect(sent.attachments.map(\.size) == [4, 4] && sent.attachments[0].digest == sent.attachments[1].digest)
        #expect(sent.attachments.map(\.item) == [.folder(folder.id), .note(note.id)])
        #expect(try await harness.store.maintenance.verify().isSound)
        #expect(try await harness.leavesNothing())
    }

    /// Malware that is found in a file after a zip file was made of it holds the zip file back, too.
    @Test func aFileMadeOfAQuarantinedOneIsHeldBack() async throws {
        let harness = try await LibraryHarness()
        let folder = try await harness.folder("Q3")
        let inner = try await harness.put("a", "aaaa", in: harness.place(folder))
        func send(_ text: String, holding sources: [ContentDigest]) async throws -> LetterAttachment {
            let content = LetterContent(name: "Q3.zip", upload: try harness.upload(text), sources: sources)
            let letter = try await harness.send(
                try harness.letter([.folder(folder.id)]), with: [.folder(folder.id): content])
            return try #require(letter.attachments.first)
        }
        let made = try await send("zip of a", holding: [inner.digest, .of([1]), inner.digest])
        let other = try await send("zip of b", holding: [.of([2])])
        let (letters, quarantine) = (harness.store.letters, harness.store.quarantine)
        for file in [made, other] { #expect(try letters.content(of: file).size == 8) }
        try await quarantine.quarantine(inner.digest, malware: "Eicar", at: .now)
        #expect(performing: { try letters.content(of: made) }, throws: failure(.quarantined))
        #expect(try letters.content(of: other).size == 8)
        try await quarantine.release(inner.digest, actor: "root")
        #expect(try letters.content(of: made).size == 8)
        #expect(try harness.base.count("letter_source") == 3)
        for id in [1, 2] as [PersonalLetter.ID] {
            try await harness.relay()
            try await letters.removeLetter(id, of: harness.ann)
        }
        #expect(try harness.base.count("letter_source") == 0)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Files of a letter that is refused are written nowhere, also where their size is known once they are made.
    @Test(arguments: [10, 3 << 20]) func aRefusedLetterLeavesNoBytes(size: Int) async throws {
        let harness = try await LibraryHarness()
        let folder = try await harness.folder("Q3")
        _ = try await harness.put("a", "aaaa", in: harness.place(folder))
        let mark = "refuse-me!"
        func log() throws -> [Data] {
            let path = harness.base.folder + "/store/log"
            return try FileManager.default.contentsOfDirectory(atPath: path).map {
                try Data(contentsOf: URL(fileURLWithPath: "\(path)/\($0)"))
            }
        }
        let before = try log().count
        for (policy, people, kind) in [
            (LetterPolicy(maxAttachmentBytes: 9), "a@x.org", InputProblem.Kind.letterTooLarge),
            (LetterPolicy(perDay: 1), "a@x.org, b@x.org", .letterTooMany),
        ] {
            let content = LetterContent(
                name: "Q3.zip", upload: try harness.upload(mark + String(repeating: "x", count: size)))
            let letter = try harness.letter([.folder(folder.id)], to: people)
            await #expect(
                performing: { try await harness.send(letter, with: [.folder(folder.id): content], policy) },
                throws: problem(kind))
        }
        #expect(try log().count == before && !log().contains { $0.range(of: Data(mark.utf8)) != nil })
        #expect(try await harness.leavesNothing())
    }

    @Test func aKeyMakesOneLetter() async throws {
        let harness = try await LibraryHarness()
        let letter = try harness.letter { $0.key = String(repeating: "aB", count: 16) }
        let first = try await harness.store.letters.addLetter(letter, with: [:], LetterPolicy(), of: harness.ann)
        let second = try await harness.store.letters.addLetter(letter, with: [:], LetterPolicy(), of: harness.ann)
        #expect(first.isNew && !second.isNew && first.letter == second.letter)
        #expect(try harness.base.count("letter") == 1 && harness.base.count("outbox") == 1)
        // Another person's letter has keys of its own.
        let other = try await harness.store.letters.addLetter(letter, with: [:], LetterPolicy(), of: harness.bob.id)
        #expect(other.isNew)
        await #expect(
            performing: { try await harness.send(try harness.letter { $0.key = "../../etc" }) },
            throws: failure(.invalid))
    }

    @Test func lettersThatAreRefused() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf", "0123456789")
        try harness.store.connection.write("name a mailbox") {
            try $0.execute("INSERT INTO mailbox (name, address) VALUES ('funds', 'in@corp.example')")
        }
        let many = (0..<51).map { "a\($0)@x.org" }.joined(separator: ",")
        let policy = LetterPolicy(maxAttachmentBytes: 9, perDay: 2, sender: EmailAddress("funds@corp.example"))
        let cases: [(NewLetter, InputProblem.Kind)] = [
            (try harness.letter(to: ""), .letterNoRecipient), (try harness.letter(to: many), .letterTooManyRecipients),
            (try harness.letter(to: "funds@corp.example"), .letterOwnMailbox),
            (try harness.letter(cc: "Funds+x@corp.example"), .letterOwnMailbox),
            (try harness.letter(to: "in@corp.example"), .letterOwnMailbox),
            (try harness.letter(subject: String(repeating: "x", count: 501)), .letterSubjectTooLong),
            (try harness.letter(text: String(repeating: "x", count: 100_001)), .letterTextTooLong),
            (try harness.letter(subject: " ", text: "\u{200B}"), .letterEmpty),
            (try harness.letter([.file(file.id)]), .letterTooLarge),
            (try harness.letter(Array(repeating: .file(file.id), count: 101)), .letterTooManyItems),
            (try harness.letter(to: "a@x.org, b@x.org, c@x.org"), .letterTooMany),
        ]
        for (letter, kind) in cases {
            await #expect(performing: { try await harness.send(letter, policy) }, throws: problem(kind))
        }
        #expect(try harness.base.count("letter") == 0 && harness.base.count("outbox") == 0)
        let first = try await harness.send(try harness.letter(), policy)
        try await harness.send(try harness.letter(), policy)
        // Letters count whether or not their writer keeps them.
        try await harness.relay()
        try await harness.store.letters.removeLetter(first.summary.id, of: harness.ann)
        await #expect(
            performing: { try await harness.send(try harness.letter(), policy) }, throws: problem(.letterTooMany))
        try await harness.send(try harness.letter(), policy, by: harness.bob.id)
    }

    @Test func othersSeeNothing() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf")
        let letters = harness.store.letters
        let letter = try await harness.send(try harness.letter([.file(file.id)]))
        let (id, bob) = (letter.summary.id, harness.bob.id)
        await #expect(
            performing: { try await harness.send(try harness.letter([.file(file.id)]), by: bob) },
            throws: failure(.notFound))
        await #expect(performing: { try await letters.letter(id, of: bob) }, throws: failure(.notFound))
        await #expect(performing: { try await letters.removeLetter(id, of: bob) }, throws: failure(.notFound))
        await #expect(
            performing: { try await letters.giveLetterUp(id, to: 1, of: bob) }, throws: failure(.notFound))
        await #expect(
            performing: { try await letters.sendLetterAgain(id, to: 1, mayArriveTwice: true, of: bob) },
            throws: failure(.notFound))
        await #expect(
            performing: { try await letters.letters(LetterFilter(item: .file(file.id)), PageQuery(), of: bob) },
            throws: failure(.notFound))
        await #expect(
            performing: { try await letters.letters(LetterFilter(fund: harness.base.fund.id), PageQuery(), of: bob) },
            throws: failure(.notFound))
        #expect(try await letters.letters(LetterFilter(), PageQuery(), of: bob).items == [])
        // The fund goes to Bob under another name; the letter stays Ann's, and is of no fund of hers.
        _ = try await harness.store.library.renameFund(harness.base.fund.id, to: "Given", of: harness.ann)
        _ = try await harness.store.administration.giveFund(harness.base.fund.id, to: bob, actor: "test")
        #expect(try await letters.letters(LetterFilter(item: .file(file.id)), PageQuery(), of: bob).items == [])
        #expect(try await letters.letter(id, of: harness.ann).summary.fund == nil)
        // A person who is disabled sends nothing, also of what waits.
        try await harness.store.administration.setDisabled(true, user: harness.ann, actor: "test")
        await #expect(performing: { try await harness.send(try harness.letter()) }, throws: failure(.notFound))
        let row = try #require(try await harness.base.letters.first)
        #expect(try await harness.store.outbox.facts(of: row) == .gone("the person who wrote it is disabled"))
    }

    /// A letter that answers a mail stands in its fund, and at the mail.
    @Test func answersStandAtTheMail() async throws {
        let harness = try await LibraryHarness()
        let email = try #require(try await harness.base.file("Subject: x\n\nbody").emailID)
        let letter = try await harness.send(try harness.letter { $0.answered = email })
        #expect(letter.summary.answered == email && letter.summary.fund == harness.base.fund.id)
        let found = try await harness.store.letters.letters(
            LetterFilter(item: .email(email)), PageQuery(), of: harness.ann)
        #expect(found.items.map(\.id) == [letter.summary.id])
        let inFund = try await harness.store.letters.letters(
            LetterFilter(fund: harness.base.fund.id), PageQuery(), of: harness.ann)
        #expect(inFund.items.map(\.id) == [letter.summary.id])
        try await harness.store.library.deleteEmail(email, if: nil, of: harness.ann)
        #expect(try await harness.store.letters.letter(letter.summary.id, of: harness.ann).summary.answered == nil)
    }

    /// A fund that goes for good takes its letters along; one that waits is not sent.
    @Test func lettersGoWithTheirFund() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf")
        try await harness.send(try harness.letter([.file(file.id)]))
        let free = try await harness.send(try harness.letter(subject: "Of no fund"))
        try await harness.store.library.deleteFund(harness.base.fund.id, of: harness.ann)
        _ = try await harness.store.library.emptyTrash(of: harness.ann)
        let left = try await harness.store.letters.letters(LetterFilter(), PageQuery(), of: harness.ann)
        #expect(left.items.map(\.id) == [free.summary.id])
        #expect(try await harness.base.letterStates == ["letter dropped", "letter queued"])
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func aLinkGoesInPlaceOfFiles() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("report.pdf")
        let letter = try await harness.send(try harness.letter([.file(file.id)]) { $0.way = .link })
        #expect(letter.attachments == [] && letter.items == [.file(file.id)])
        let link = try #require(letter.link)
        let row = try #require(try await harness.base.letters.first)
        guard case .letter(let facts) = try await harness.store.outbox.facts(of: row) else {
            Issue.record("it has no facts")
            return
        }
        let token = try #require(facts.link?.path.split(separator: "/").last)
        #expect(facts.link?.path == "/s/\(token)" && ShareLinkKey.isToken(token))
        let found = try await harness.store.links.openableLink(ShareLinkKey.digest(String(token)), at: .now)
        #expect(found?.opened.link.id == link)
        try await harness.store.links.revokeLink(link, of: harness.ann, actor: "ann@example.com")
        #expect(try await harness.store.outbox.facts(of: row) == .gone("the link in it has ended"))
        await #expect(
            performing: {
                try await harness.send(
                    try harness.letter([.file(file.id)]) { $0.way = .link }, LetterPolicy(allowsLinks: false))
            }, throws: problem(.letterNoLinks))
    }
}
