import TestSupport
import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct PurgeTests {
    private func age(_ harness: LibraryHarness) throws {
        try harness.store.connection.write("") { try $0.execute("UPDATE deletion SET at = at - 100000") }
    }

    private func purge(_ harness: LibraryHarness) async throws -> PurgeReport {
        try await harness.store.maintenance.purgeDeleted(before: .now - .seconds(86_400))
    }

    @Test func takesOnlyWhatIsOldAndNobodyNeeds() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let part = StoreHarness.Part(name: "came.pdf", bytes: [1, 2, 3])
        let email = try #require(try await harness.base.file("a: b\n\nc", parts: [part]).emailID)
        let folder = try await harness.folder("folder")
        let old = try await harness.put("old", "only here", in: harness.place(folder))
        let shared = try await harness.put("shared", "twice", in: harness.place(folder))
        try await harness.put("other", "twice")
        try await store.library.setProperties(["{u:}p": "v"], of: .file(old.id), of: ann)
        try await store.library.setFavourite(true, .file(old.id), of: ann)
        try await harness.delete("folder")
        try await harness.delete("came.pdf")
        try age(harness)
        let young = try await harness.put("young", "young bytes")
        try await harness.delete("young")
        let last = try await harness.folder("last")
        _ = last
        #expect(try await purge(harness).items == 4)
        #expect(try harness.base.content(old.digest) == nil)
        #expect(try harness.base.content(shared.digest) == Array("twice".utf8))
        #expect(try harness.base.content(part.digest) == part.bytes)
        #expect(try await harness.tree() == ["other": "twice", "last/": ""])
        #expect(try harness.base.count("property") + harness.base.count("favourite") == 0)
        #expect(try await store.library.deletedItems(of: ann).map(\.itemID) == [.file(young.id)])
        #expect(try await store.library.email(email, of: ann).attachments.count == 1)
        #expect(try await purge(harness).items == 0)
        #expect(try await store.maintenance.verify().isSound)
        // The ids of what is gone do not come back.
        #expect(try await harness.put("new").id > young.id)
    }

    @Test func aPurgedEmailIsStillADuplicate() async throws {
        let harness = try await LibraryHarness()
        let part = StoreHarness.Part(name: "came.pdf", bytes: [1, 2, 3])
        let inline = StoreHarness.Part(name: "logo", bytes: [7, 7], isInline: true)
        let first = try await harness.base.file("Received: a\nSubject: x\n\nbody", parts: [part, inline])
        let id = try #require(first.emailID)
        try await harness.base.file("a: b\n\nlater", parts: [StoreHarness.Part(name: "later", bytes: [9])])
        try await harness.store.library.deleteEmail(id, of: harness.ann)
        try age(harness)
        #expect(try await purge(harness).items == 1)
        #expect(try harness.base.content(part.digest) == part.bytes)
        #expect(try harness.base.content(inline.digest) == nil)
        #expect(try harness.base.content(first.message.spooled.digest) != nil)
        #expect(try await harness.base.file("Received: b\nSubject: x\n\nbody").outcome == .duplicate)
        #expect(await failure { _ = try await harness.store.library.restoreEmail(id, of: harness.ann) } == .notFound)
        var query = EmailQuery()
        query.deletedOnly = true
        #expect(try await harness.store.library.emails(query, of: harness.ann).items == [])
        guard case .file(let file) = try await harness.store.library.item(at: ["Fund1", "came.pdf"], of: harness.ann)
        else {
            Issue.record("the file went with its email")
            return
        }
        #expect(file.email == nil)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func aFundGoesWithAllThatIsInIt() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let gone = try await store.library.addFund("gone", of: ann)
        let place = LibraryPlace(fund: gone.id)
        for number in 0..<600 { try await harness.put("f\(number)", "\(number % 3)", in: place) }
        let folder = try await harness.folder("a", in: place)
        _ = try await harness.folder("b", in: harness.place(folder))
        let note = try await store.library.addNote(NoteText(title: "secret", content: "words"), in: gone.id, of: ann)
        try await store.library.deleteFund(gone.id, of: ann)
        try age(harness)
        let kept = try await harness.put("kept")
        _ = try await harness.folder("kept too")
        // Marked in part: a restore brings all of it back.
        try store.connection.write("") { db in
            var step = PurgeStep(db: db, scope: .before(.now - .seconds(86_400)))
            let result = try step.run()
            #expect(result.spread == 500)
        }
        #expect(try harness.base.count("file") < 601)
        _ = try await store.library.restore(.fund(gone.id), of: ann)
        #expect(try await store.maintenance.verify().isSound)
        let left = try await store.library.children(of: place, of: ann).count
        #expect(left == 101)
        try await store.library.deleteFund(gone.id, of: ann)
        try age(harness)
        _ = try await purge(harness)
        #expect(try await store.library.deletedItems(of: ann) == [])
        #expect(await failure { _ = try await store.library.restore(.fund(gone.id), of: ann) } == .notFound)
        #expect(await failure { _ = try await store.library.restoreNote(note.id, of: ann) } == .notFound)
        #expect(try harness.base.count("file") == 1)
        #expect(try harness.base.count("folder") == 1)
        #expect(try harness.base.count("blob") == 1)
        #expect(try await store.library.file(kept.id, of: ann).name == "kept")
        #expect(try await store.maintenance.verify().isSound)
    }

    /// The id of the last file, folder or attachment is not given again once its row is gone.
    @Test func idsOfWhatIsPurgedAreNotGivenAgain() async throws {
        let harness = try await LibraryHarness()
        let part = StoreHarness.Part(name: "came.pdf", bytes: [1, 2, 3])
        let email = try #require(try await harness.base.file("a: b\n\nc", parts: [part]).emailID)
        let (file, folder) = (try await harness.put("last"), try await harness.folder("last folder"))
        let attachment = try await harness.store.library.email(email, of: harness.ann).attachments[0]
        try await harness.delete("last")
        try await harness.delete("last folder")
        try await harness.store.library.deleteEmail(email, of: harness.ann)
        try age(harness)
        #expect(try await purge(harness).items == 3)
        #expect(try harness.base.count("folder") + harness.base.count("attachment") == 0)
        #expect(try await harness.put("new").id.rawValue == file.id.rawValue + 1)
        #expect(try await harness.folder("new folder").id.rawValue == folder.id.rawValue + 1)
        let next = try #require(try await harness.base.file("a: b\n\nd", parts: [part]).emailID)
        let newer = try await harness.store.library.email(next, of: harness.ann).attachments[0]
        #expect(newer.id.rawValue == attachment.id.rawValue + 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Items that were to go for good cannot be restored, also when the purge was interrupted; the next one finishes
    /// it.
    @Test func whatIsDoomedStaysGone() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let gone = try await store.library.addFund("gone", of: ann)
        let place = LibraryPlace(fund: gone.id)
        let first = try await harness.put("twice", "first", in: place)
        try await store.library.delete(.file(first.id), if: nil, of: ann)
        let second = try await harness.put("twice", "second", in: place)
        try await store.library.deleteFund(gone.id, of: ann)
        try await store.library.changing("", of: ann) { try $0.makeFinal(.fund(gone.id)) }
        #expect(try await store.library.deletedItems(of: ann) == [])
        for item in [LibraryItemID.fund(gone.id), .file(first.id), .file(second.id)] {
            #expect(await failure { _ = try await store.library.restore(item, of: ann) } == .notFound)
        }
        #expect(try await purge(harness).items == 3)
        #expect(try harness.base.count("blob") == 0)
        #expect(try await store.maintenance.verify().isSound)
    }

    /// Looked for before the purge and stored after it.
    @Test func whatWasStagedBeforeAPurgeComesAgain() async throws {
        let harness = try await LibraryHarness()
        let part = StoreHarness.Part(name: "same", bytes: Array("same bytes".utf8))
        try await harness.put("old", "same bytes")
        try await harness.put("newer", "x")
        try await harness.delete("old")
        try await harness.put("last", "y")
        try age(harness)
        let message = try harness.base.message("a: b\n\nc", parts: [part])
        let staged = try harness.base.stage(message, [part])
        let upload = try harness.upload("same bytes")
        #expect(try await purge(harness).blobs == 1)
        await #expect { try await harness.store.mail.commit([staged]) } throws: { ($0 as? StoreError)?.code == .stale }
        _ = try await harness.store.library.addFile(
            upload, at: FileTarget("again", in: harness.top, ifTaken: .refuse), of: harness.ann)
        #expect(
            try await harness.store.mail.commit([try harness.base.stage(message, [part])])[0].outcome == .filed)
        #expect(try await harness.store.maintenance.verify().isSound)
    }
}
