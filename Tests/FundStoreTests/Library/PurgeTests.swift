import GRDB
import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct PurgeTests {
    private func age(_ trial: LibraryTrial) throws {
        try trial.store.write("") { try $0.execute(sql: "UPDATE deletion SET at = at - 100000") }
    }

    private func purge(_ trial: LibraryTrial) async throws -> PurgeReport {
        try await trial.store.purgeDeleted(before: currentSeconds() - 86_400)
    }

    @Test func takesOnlyWhatIsOldAndNobodyNeeds() async throws {
        let trial = try await LibraryTrial()
        let (store, ann) = (trial.store, trial.ann)
        let part = Scratch.Part(name: "came.pdf", bytes: [1, 2, 3])
        let email = try #require(try await trial.scratch.file("a: b\n\nc", parts: [part]).emailID)
        let folder = try await trial.folder("folder")
        let old = try await trial.put("old", "only here", in: trial.place(folder))
        let shared = try await trial.put("shared", "twice", in: trial.place(folder))
        try await trial.put("other", "twice")
        try await store.setProperties(["{u:}p": "v"], of: .file(old.id), of: ann)
        try await store.setFavourite(true, .file(old.id), of: ann)
        try await trial.delete("folder")
        try await trial.delete("came.pdf")
        try age(trial)
        let young = try await trial.put("young", "young bytes")
        try await trial.delete("young")
        let last = try await trial.folder("last")
        _ = last
        #expect(try await purge(trial).items == 4)
        #expect(StoreLayout.size(of: store.layout.blob(old.digest)) == nil)
        #expect(StoreLayout.size(of: store.layout.blob(shared.digest)) == 5)
        #expect(StoreLayout.size(of: store.layout.blob(part.digest)) == 3)
        #expect(try await trial.tree() == ["other": "twice", "last/": ""])
        #expect(try trial.scratch.count("property") + trial.scratch.count("favourite") == 0)
        #expect(try await store.deletedItems(of: ann).map(\.itemID) == [.file(young.id)])
        #expect(try await store.email(email, of: ann).attachments.count == 1)
        #expect(try await purge(trial).items == 0)
        #expect(try await store.verify().isSound)
        // The ids of what is gone do not come back.
        #expect(try await trial.put("new").id > young.id)
    }

    @Test func aPurgedEmailIsStillADuplicate() async throws {
        let trial = try await LibraryTrial()
        let part = Scratch.Part(name: "came.pdf", bytes: [1, 2, 3])
        let inline = Scratch.Part(name: "logo", bytes: [7, 7], isInline: true)
        let first = try await trial.scratch.file("Received: a\nSubject: x\n\nbody", parts: [part, inline])
        let id = try #require(first.emailID)
        try await trial.scratch.file("a: b\n\nlater", parts: [Scratch.Part(name: "later", bytes: [9])])
        try await trial.store.deleteEmail(id, of: trial.ann)
        try age(trial)
        #expect(try await purge(trial).items == 1)
        #expect(StoreLayout.size(of: trial.store.layout.blob(part.digest)) == 3)
        #expect(StoreLayout.size(of: trial.store.layout.blob(inline.digest)) == nil)
        #expect(StoreLayout.size(of: first.message.spooled.path) != nil)
        #expect(try await trial.scratch.file("Received: b\nSubject: x\n\nbody").outcome == .duplicate)
        #expect(await failure { _ = try await trial.store.restoreEmail(id, of: trial.ann) } == .notFound)
        var query = EmailQuery()
        query.deletedOnly = true
        #expect(try await trial.store.emails(query, of: trial.ann).items == [])
        guard case .file(let file) = try await trial.store.item(at: ["Fund1", "came.pdf"], of: trial.ann) else {
            Issue.record("the file went with its email")
            return
        }
        #expect(file.email == nil)
        #expect(try await trial.store.verify().isSound)
    }

    @Test func aFundGoesWithAllThatIsInIt() async throws {
        let trial = try await LibraryTrial()
        let (store, ann) = (trial.store, trial.ann)
        let gone = try await store.addFund("gone", of: ann)
        let place = LibraryPlace(fund: gone.id)
        for number in 0..<600 { try await trial.put("f\(number)", "\(number % 3)", in: place) }
        let folder = try await trial.folder("a", in: place)
        _ = try await trial.folder("b", in: trial.place(folder))
        let note = try await store.addNote(NoteText(title: "secret", content: "words"), in: gone.id, of: ann)
        try await store.deleteFund(gone.id, of: ann)
        try age(trial)
        let kept = try await trial.put("kept")
        _ = try await trial.folder("kept too")
        // Marked in part: a restore brings all of it back.
        try store.write("") { db in
            var step = PurgeStep(db: db, scope: .before(currentSeconds() - 86_400), store: store)
            let result = try step.run()
            #expect(result.spread == 500)
        }
        #expect(try trial.scratch.count("file") < 601)
        _ = try await store.restore(.fund(gone.id), of: ann)
        #expect(try await store.verify().isSound)
        let left = try await store.children(of: place, of: ann).count
        #expect(left == 101)
        try await store.deleteFund(gone.id, of: ann)
        try age(trial)
        _ = try await purge(trial)
        #expect(try await store.deletedItems(of: ann) == [])
        #expect(await failure { _ = try await store.restore(.fund(gone.id), of: ann) } == .notFound)
        #expect(await failure { _ = try await store.restoreNote(note.id, of: ann) } == .notFound)
        #expect(try trial.scratch.count("file") == 1)
        #expect(try trial.scratch.count("folder") == 1)
        #expect(try trial.scratch.files("blobs") == 1)
        #expect(try await store.file(kept.id, of: ann).name == "kept")
        #expect(try await store.verify().isSound)
    }

    /// What was to go for good cannot be restored, also when the purge was interrupted; the next one finishes it.
    @Test func whatIsDoomedStaysGone() async throws {
        let trial = try await LibraryTrial()
        let (store, ann) = (trial.store, trial.ann)
        let gone = try await store.addFund("gone", of: ann)
        let place = LibraryPlace(fund: gone.id)
        let first = try await trial.put("twice", "first", in: place)
        try await store.delete(.file(first.id), if: nil, of: ann)
        let second = try await trial.put("twice", "second", in: place)
        try await store.deleteFund(gone.id, of: ann)
        try await store.changing("", of: ann) { try $0.doom(.fund(gone.id)) }
        #expect(try await store.deletedItems(of: ann) == [])
        for item in [LibraryItemID.fund(gone.id), .file(first.id), .file(second.id)] {
            #expect(await failure { _ = try await store.restore(item, of: ann) } == .notFound)
        }
        #expect(try await purge(trial).items == 3)
        #expect(try trial.scratch.files("blobs") == 1)
        #expect(try await store.verify().isSound)
    }

    /// Looked for before the purge and stored after it.
    @Test func whatWasStagedBeforeAPurgeComesAgain() async throws {
        let trial = try await LibraryTrial()
        let part = Scratch.Part(name: "same", bytes: Array("same bytes".utf8))
        try await trial.put("old", "same bytes")
        try await trial.put("newer", "x")
        try await trial.delete("old")
        try await trial.put("last", "y")
        try age(trial)
        let message = try trial.scratch.message("a: b\n\nc", parts: [part])
        let staged = try trial.scratch.stage(message, [part])
        let upload = try trial.upload("same bytes")
        #expect(try await purge(trial).blobs == 1)
        await #expect { try await trial.store.commit([staged]) } throws: { ($0 as? StoreError)?.code == .stale }
        _ = try await trial.store.addFile(
            upload, at: FileTarget("again", in: trial.top, ifTaken: .refuse), of: trial.ann)
        #expect(try await trial.store.commit([try trial.scratch.stage(staged.message, [part])])[0].outcome == .filed)
        #expect(try await trial.store.verify().isSound)
    }
}
