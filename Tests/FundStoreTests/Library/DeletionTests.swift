import TestSupport
import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct DeletionTests {
    @Test func aFolderComesBackAsItWas() async throws {
        let harness = try await LibraryHarness()
        let a = try await harness.folder("a")
        let b = try await harness.folder("b", in: harness.place(a))
        try await harness.put("x", "1", in: harness.place(b))
        try await harness.put("y", "2", in: harness.place(b))
        try await harness.delete("a", "b", "y")
        let before = try await harness.tree()
        try await harness.delete("a")
        #expect(try await harness.tree() == [:])
        #expect(try await harness.store.library.deletedItems(of: harness.ann).map(\.name).sorted() == ["a", "y"])
        #expect(await failure { _ = try await harness.store.library.folder(b.id, of: harness.ann) } == .notFound)
        _ = try await harness.store.library.restore(.folder(a.id), of: harness.ann)
        #expect(try await harness.tree() == before)
        #expect(try await harness.store.library.deletedItems(of: harness.ann).map(\.name) == ["y"])
        #expect(
            await failure { _ = try await harness.store.library.restore(.folder(a.id), of: harness.ann) } == .notFound)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func whatIsTakenIsRestoredUnderANumber() async throws {
        let harness = try await LibraryHarness()
        let a = try await harness.folder("a")
        try await harness.put("x", "1", in: harness.place(a))
        try await harness.delete("a")
        try await harness.put("a", "2")
        #expect(try await harness.store.library.restore(.folder(a.id), of: harness.ann).name == "a(1)")
        #expect(try await harness.tree() == ["a": "2", "a(1)/": "", "a(1)/x": "1"])
    }

    @Test func apartOfWhatWasDeletedGoesToTheTop() async throws {
        let harness = try await LibraryHarness()
        let a = try await harness.folder("a")
        let b = try await harness.folder("b", in: harness.place(a))
        let x = try await harness.put("x", "1", in: harness.place(b))
        try await harness.put("y", "2", in: harness.place(b))
        let z = try await harness.put("z", "3", in: harness.place(a))
        try await harness.delete("a")
        _ = try await harness.store.library.restore(.file(z.id), of: harness.ann)
        #expect(try await harness.tree() == ["z": "3"])
        _ = try await harness.store.library.restore(.folder(b.id), of: harness.ann)
        #expect(try await harness.tree() == ["z": "3", "b/": "", "b/x": "1", "b/y": "2"])
        _ = try await harness.store.library.restore(.folder(a.id), of: harness.ann)
        #expect(try await harness.tree() == ["z": "3", "b/": "", "b/x": "1", "b/y": "2", "a/": ""])
        #expect(
            await failure { _ = try await harness.store.library.restore(.file(x.id), of: harness.ann) } == .notFound)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func aDeletedFundIsOutOfTheWay() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.base.fund.id)
        try await harness.put("x", "1")
        let email = try #require(try await harness.base.file("a: b\n\nc").emailID)
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann)
        let late = try harness.base.message("a: b\n\nlate")
        try await store.library.deleteFund(fund, of: ann)
        #expect(try store.mail.directory().funds(of: ann) == [])
        #expect(try store.mail.directory().funds(of: ann, matching: "f1") == [])
        #expect(try await store.library.funds(of: ann) == [])
        #expect(try await store.administration.funds(owner: ann, includingArchived: true) == [])
        #expect(try await store.library.item(at: ["Fund1", "x"], of: ann) == nil)
        #expect(try await store.library.emails(EmailQuery(), of: ann).items == [])
        for item in [LibraryItemID.email(email), .note(note.id), .fund(fund)] {
            #expect(await failure { try await store.library.setFavourite(true, item, of: ann) } == .notFound)
        }
        #expect(
            await failure { _ = try await store.maintenance.export(fund: fund, to: harness.base.folder + "/x") }
                == .notFound)
        #expect(await failure { try await store.administration.renameFund(fund, to: "y", actor: "test") } == .notFound)
        // A message that was routed to it before must be routed again.
        await #expect { try await store.mail.commit([try harness.base.stage(late)]) } throws: {
            ($0 as? StoreError)?.code == .stale
        }
        #expect(try await store.library.deletedItems(of: ann).map(\.itemID) == [.fund(fund)])
        // Its names are free.
        let second = try await store.library.addFund("Fund1", of: ann)
        let third = try await store.library.addFund("F1", of: ann)
        let back = try await store.library.restore(.fund(fund), of: ann)
        #expect(back.name == "Fund1(1)")
        guard case .fund(let entry) = back else { return }
        #expect(entry.aliases == [])
        #expect(try store.mail.directory().funds(of: ann, matching: "fund1(1)").map(\.id) == [fund])
        #expect(try store.mail.directory().funds(of: ann, matching: "f1").map(\.id) == [third.id])
        #expect(try await store.library.funds(of: ann).map(\.id) == [third.id, second.id, fund])
        #expect(try await harness.tree() == ["x": "1"])
        #expect(try await store.library.email(email, of: ann).text == "hello")
        #expect(try await store.maintenance.verify().isSound)
    }

    @Test func anArchivedFundCanBeHadBack() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("x", "1")
        try await harness.store.administration.archiveFund(harness.top.fund, actor: "test")
        #expect(try await harness.store.library.funds(of: harness.ann) == [])
        #expect(try await harness.store.library.deletedItems(of: harness.ann).map(\.name) == ["Fund1"])
        #expect(try await harness.store.maintenance.purgeDeleted(before: Timestamp(.max)).items == 0)
        _ = try await harness.store.library.restore(.fund(harness.top.fund), of: harness.ann)
        #expect(try await harness.tree() == ["x": "1"])
        #expect(try harness.store.mail.directory().funds(of: harness.ann, matching: "f1").count == 1)
    }

    @Test func mailIsDeletedWithoutItsFiles() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let email = try #require(
            try await harness.base.file("a: b\n\nc", parts: [StoreHarness.Part(name: "q", bytes: [1])]).emailID)
        let attachment = try await store.library.email(email, of: ann).attachments[0].id
        try await store.library.deleteEmail(email, of: ann)
        #expect(await failure { _ = try await store.library.email(email, of: ann) } == .notFound)
        #expect(await failure { _ = try await store.library.attachment(attachment, of: ann) } == .notFound)
        #expect(try await harness.names() == ["q"])
        var query = EmailQuery()
        #expect(try await store.library.emails(query, of: ann).items == [])
        query.deletedOnly = true
        #expect(try await store.library.emails(query, of: ann).items.map(\.id) == [email])
        #expect(try await store.library.emails(query, of: ann).items[0].deletedAt != nil)
        #expect(try await store.administration.funds(owner: ann).map(\.emailCount) == [0])
        #expect(try await harness.base.file("a: b\n\nc").outcome == .duplicate)
        _ = try await store.library.restoreEmail(email, of: ann)
        #expect(try await store.library.attachment(attachment, of: ann).id == attachment)
        #expect(await failure { _ = try await store.library.restoreEmail(email, of: ann) } == .notFound)
    }

    /// Who undoes a deletion does not undo another one that followed.
    @Test func whatWasDeletedLaterStays() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.top.fund)
        let email = try #require(try await harness.base.file("a: b\n\nc").emailID)
        let note = try await library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann).id
        let (file, folder) = (try await harness.put("file").id, try await harness.folder("folder").id)
        func restore(_ item: LibraryItemID, unlessDeletedAfter time: Timestamp) async throws {
            switch item {
            case .email(let id): _ = try await library.restoreEmail(id, unlessDeletedAfter: time, of: ann)
            case .note(let id): _ = try await library.restoreNote(id, unlessDeletedAfter: time, of: ann)
            case .fund, .folder, .file: _ = try await library.restore(item, unlessDeletedAfter: time, of: ann)
            }
        }
        let before = Timestamp.now - .seconds(1)
        for item in [LibraryItemID.email(email), .note(note), .file(file), .folder(folder), .fund(fund)] {
            try await library.delete(item, of: ann)
            let refusal = await failure { try await restore(item, unlessDeletedAfter: before) }
            #expect(refusal == .preconditionFailed, "\(item)")
            try await restore(item, unlessDeletedAfter: .now)
        }
        try await library.archiveFund(fund, if: nil, of: ann)
        #expect(
            await failure { try await restore(.fund(fund), unlessDeletedAfter: before) } == .preconditionFailed)
        try await restore(.fund(fund), unlessDeletedAfter: .now)
        #expect(try await harness.tree() == ["file": "content", "folder/": ""])
    }
}
