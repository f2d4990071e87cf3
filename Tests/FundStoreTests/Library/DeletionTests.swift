import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct DeletionTests {
    @Test func aFolderComesBackAsItWas() async throws {
        let trial = try await LibraryTrial()
        let a = try await trial.folder("a")
        let b = try await trial.folder("b", in: trial.place(a))
        try await trial.put("x", "1", in: trial.place(b))
        try await trial.put("y", "2", in: trial.place(b))
        try await trial.delete("a", "b", "y")
        let before = try await trial.tree()
        try await trial.delete("a")
        #expect(try await trial.tree() == [:])
        #expect(try await trial.store.deletedItems(of: trial.ann).map(\.name).sorted() == ["a", "y"])
        #expect(await failure { _ = try await trial.store.folder(b.id, of: trial.ann) } == .notFound)
        _ = try await trial.store.restore(.folder(a.id), of: trial.ann)
        #expect(try await trial.tree() == before)
        #expect(try await trial.store.deletedItems(of: trial.ann).map(\.name) == ["y"])
        #expect(await failure { _ = try await trial.store.restore(.folder(a.id), of: trial.ann) } == .notFound)
        #expect(try await trial.store.verify().isSound)
    }

    @Test func whatIsTakenIsRestoredUnderANumber() async throws {
        let trial = try await LibraryTrial()
        let a = try await trial.folder("a")
        try await trial.put("x", "1", in: trial.place(a))
        try await trial.delete("a")
        try await trial.put("a", "2")
        #expect(try await trial.store.restore(.folder(a.id), of: trial.ann).name == "a(1)")
        #expect(try await trial.tree() == ["a": "2", "a(1)/": "", "a(1)/x": "1"])
    }

    @Test func apartOfWhatWasDeletedGoesToTheTop() async throws {
        let trial = try await LibraryTrial()
        let a = try await trial.folder("a")
        let b = try await trial.folder("b", in: trial.place(a))
        let x = try await trial.put("x", "1", in: trial.place(b))
        try await trial.put("y", "2", in: trial.place(b))
        let z = try await trial.put("z", "3", in: trial.place(a))
        try await trial.delete("a")
        _ = try await trial.store.restore(.file(z.id), of: trial.ann)
        #expect(try await trial.tree() == ["z": "3"])
        _ = try await trial.store.restore(.folder(b.id), of: trial.ann)
        #expect(try await trial.tree() == ["z": "3", "b/": "", "b/x": "1", "b/y": "2"])
        _ = try await trial.store.restore(.folder(a.id), of: trial.ann)
        #expect(try await trial.tree() == ["z": "3", "b/": "", "b/x": "1", "b/y": "2", "a/": ""])
        #expect(await failure { _ = try await trial.store.restore(.file(x.id), of: trial.ann) } == .notFound)
        #expect(try await trial.store.verify().isSound)
    }

    @Test func aDeletedFundIsOutOfTheWay() async throws {
        let trial = try await LibraryTrial()
        let (store, ann, fund) = (trial.store, trial.ann, trial.scratch.fund.id)
        try await trial.put("x", "1")
        let email = try #require(try await trial.scratch.file("a: b\n\nc").emailID)
        let note = try await store.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann)
        let late = try trial.scratch.message("a: b\n\nlate")
        try await store.deleteFund(fund, of: ann)
        #expect(try store.directory().funds(of: ann) == [])
        #expect(try store.directory().funds(of: ann, matching: "f1") == [])
        #expect(try await store.funds(of: ann) == [])
        #expect(try await store.funds(owner: ann, includingArchived: true) == [])
        #expect(try await store.item(at: ["Fund1", "x"], of: ann) == nil)
        #expect(try await store.emails(EmailQuery(), of: ann).items == [])
        for item in [LibraryItemID.email(email), .note(note.id), .fund(fund)] {
            #expect(await failure { try await store.setFavourite(true, item, of: ann) } == .notFound)
        }
        #expect(await failure { _ = try await store.export(fund: fund, to: trial.scratch.folder + "/x") } == .notFound)
        #expect(await failure { try await store.renameFund(fund, to: "y", actor: "test") } == .notFound)
        // What was routed to it before must be routed again.
        await #expect { try await store.commit([try trial.scratch.stage(late)]) } throws: {
            ($0 as? StoreError)?.code == .stale
        }
        #expect(try await store.deletedItems(of: ann).map(\.itemID) == [.fund(fund)])
        // Its names are free.
        let second = try await store.addFund("Fund1", of: ann)
        let third = try await store.addFund("F1", of: ann)
        let back = try await store.restore(.fund(fund), of: ann)
        #expect(back.name == "Fund1(1)")
        guard case .fund(let entry) = back else { return }
        #expect(entry.aliases == [])
        #expect(try store.directory().funds(of: ann, matching: "fund1(1)").map(\.id) == [fund])
        #expect(try store.directory().funds(of: ann, matching: "f1").map(\.id) == [third.id])
        #expect(try await store.funds(of: ann).map(\.id) == [third.id, second.id, fund])
        #expect(try await trial.tree() == ["x": "1"])
        #expect(try await store.email(email, of: ann).text == "hello")
        // Of the message that was not taken.
        #expect(try await store.verify().findings.map(\.kind) == [.orphanRaw])
    }

    @Test func anArchivedFundCanBeHadBack() async throws {
        let trial = try await LibraryTrial()
        try await trial.put("x", "1")
        try await trial.store.archiveFund(trial.top.fund, actor: "test")
        #expect(try await trial.store.funds(of: trial.ann) == [])
        #expect(try await trial.store.deletedItems(of: trial.ann).map(\.name) == ["Fund1"])
        #expect(try await trial.store.purgeDeleted(before: .max).items == 0)
        _ = try await trial.store.restore(.fund(trial.top.fund), of: trial.ann)
        #expect(try await trial.tree() == ["x": "1"])
        #expect(try trial.store.directory().funds(of: trial.ann, matching: "f1").count == 1)
    }

    @Test func mailIsDeletedWithoutItsFiles() async throws {
        let trial = try await LibraryTrial()
        let (store, ann) = (trial.store, trial.ann)
        let email = try #require(
            try await trial.scratch.file("a: b\n\nc", parts: [Scratch.Part(name: "q", bytes: [1])]).emailID)
        let attachment = try await store.email(email, of: ann).attachments[0].id
        try await store.deleteEmail(email, of: ann)
        #expect(await failure { _ = try await store.email(email, of: ann) } == .notFound)
        #expect(await failure { _ = try await store.attachment(attachment, of: ann) } == .notFound)
        #expect(try await trial.names() == ["q"])
        var query = EmailQuery()
        #expect(try await store.emails(query, of: ann).items == [])
        query.deletedOnly = true
        #expect(try await store.emails(query, of: ann).items.map(\.id) == [email])
        #expect(try await store.emails(query, of: ann).items[0].deletedAt != nil)
        #expect(try await store.funds(owner: ann).map(\.emailCount) == [0])
        #expect(try await trial.scratch.file("a: b\n\nc").outcome == .duplicate)
        _ = try await store.restoreEmail(email, of: ann)
        #expect(try await store.attachment(attachment, of: ann).id == attachment)
        #expect(await failure { _ = try await store.restoreEmail(email, of: ann) } == .notFound)
    }
}
