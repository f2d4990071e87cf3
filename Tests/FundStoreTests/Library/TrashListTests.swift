import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The trash and the archive as people see them.
@Suite struct TrashListTests {
    private func trash(_ harness: LibraryHarness, _ page: PageQuery = PageQuery()) async throws -> ListPage<TrashEntry>
    {
        try await harness.store.library.trash(of: harness.ann, page)
    }

    @Test func saysWhereThingsLay() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let folder = try await harness.folder("Reports")
        try await harness.put("in it.txt", in: harness.place(folder))
        try await harness.put("top.txt")
        let inner = try await harness.folder("Inner", in: harness.place(folder))
        try await harness.delete("Reports", "in it.txt")
        try await harness.delete("top.txt")
        try await library.delete(.folder(inner.id), of: ann)
        let second = try await library.addFund("Second", of: ann).id
        try await library.deleteFund(second, of: ann)
        func place(_ name: String) async throws -> [String?] {
            let entry = try #require(try await trash(harness).items.first { $0.name == name })
            return [entry.fundName, entry.folderName]
        }
        #expect(try await place("in it.txt") == ["Fund1", "Reports"])
        #expect(try await place("top.txt") == ["Fund1", nil])
        #expect(try await place("Inner") == ["Fund1", "Reports"])
        #expect(try await place("Second") == [nil, nil])
        #expect(try await trash(harness).items.allSatisfy { $0.deletedBy == nil && $0.deletedAt != nil })
        // A folder that is deleted itself is still named.
        try await library.delete(.folder(folder.id), of: ann)
        #expect(try await place("in it.txt") == ["Fund1", "Reports"])
        let page = try await trash(harness, PageQuery(limit: 2))
        let rest = try await trash(harness, PageQuery(limit: 10, cursor: page.next))
        #expect(page.items.count == 2 && Set((page.items + rest.items).map(\.item.itemID)).count == 5)
        #expect(try await library.trash(of: harness.bob.id, PageQuery()).items.isEmpty)
        let counts = try await library.trashQuestion(of: ann).counts
        #expect([counts.funds, counts.folders, counts.files, counts.emails, counts.notes] == [1, 2, 2, 0, 0])
        #expect(try await library.trashQuestion(of: harness.bob.id).counts.total == 0)
    }

    /// A fund that an administrator made for its owner and took back; who took a file back says `takenBack`.
    @Test func namesAnotherWhoDeletedAFund() async throws {
        let harness = try await LibraryHarness()
        let (desk, bob) = (harness.store.administration, "bob@example.com")
        let id = try await harness.keep("lost", .unknownFund, of: harness.base.ann, tag: "Made")
        let act = try await desk.begin(.create, about: .init(user: harness.ann, name: "Made"), actor: bob)
        #expect(try await desk.createFund("Made", of: harness.ann, from: id, in: act, actor: bob))
        let own = try await harness.store.library.addFund("Own", of: harness.ann).id
        try await harness.store.library.deleteFund(own, of: harness.ann)
        try await desk.undo(all: act, actor: bob)
        let people = Dictionary(uniqueKeysWithValues: try await trash(harness).items.map { ($0.name, $0.deletedBy) })
        #expect(people == ["Made": bob, "Own": nil])
    }

    @Test func archivedFundsStandApart() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        _ = try await harness.base.file("Subject: 1\n\n1", parts: [StoreHarness.Part(name: "a", bytes: [1])])
        try await harness.put("b")
        let second = try await library.addFund("Second", of: ann).id
        try await library.archiveFund(second, if: nil, of: ann)
        // Another has a fund of the same name, and is no administrator by now.
        try await library.archiveFund(harness.bobsFund.id, if: nil, of: harness.bob.id)
        #expect(
            try await library.archivedFunds(of: harness.bob.id, PageQuery()).items.map(\.archivedBy) == [
                "bob@example.com"
            ])
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE \"user\" SET is_administrator = 0 WHERE id = ?", [harness.bob.id])
        }
        try await library.archiveFund(fund, if: nil, of: ann)
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE fund SET archived_at = archived_at - 1 WHERE id = ?", [second])
        }
        let page = try await library.archivedFunds(of: ann, PageQuery())
        #expect(page.items.map(\.fund.name) == ["Fund1", "Second"])
        #expect(page.items.map(\.archivedBy) == ["ann@example.com", "ann@example.com"])
        #expect(page.items.map(\.fileCount) == [2, 0] && page.items.map(\.emailCount) == [1, 0])
        #expect(try await trash(harness).items.isEmpty)
        #expect(try await library.trashQuestion(of: ann).counts.total == 0)
        // The list of the web API has them as before.
        #expect(try await library.deletedItems(of: ann, by: TrashOrder(), PageQuery()).items.count == 2)
        let first = try await library.archivedFunds(of: ann, PageQuery(limit: 1))
        let rest = try await library.archivedFunds(of: ann, PageQuery(limit: 1, cursor: first.next))
        #expect((first.items + rest.items).map(\.fund.id) == [fund, second] && rest.next == nil)
        _ = try await library.restore(.fund(fund), of: ann)
        #expect(try await library.archivedFunds(of: ann, PageQuery()).items.map(\.fund.id) == [second])
        #expect(
            try await library.archivedFunds(of: harness.bob.id, PageQuery()).items.map(\.fund.id) == [
                harness.bobsFund.id
            ])
    }

    /// Items deleted after the question stay, and so does what was deleted from a fund before it was archived.
    @Test func emptiesWhatWasShown() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let second = try await library.addFund("Second", of: ann).id
        try await harness.put("hidden", in: LibraryPlace(fund: second))
        let note = try await library.addNote(NoteText(title: "hidden", content: ""), in: second, of: ann).id
        try await library.deleteNote(note, unlessChangedSince: nil, of: ann)
        let hidden = try #require(try await library.item(named: "hidden", in: LibraryPlace(fund: second), of: ann))
            .itemID
        try await library.delete(hidden, of: ann)
        try await library.archiveFund(second, if: nil, of: ann)
        #expect(try await library.trashQuestion(of: ann).counts.total == 0)
        for name in ["early", "late"] { try await harness.put(name) }
        try await harness.delete("early")
        let question = try await library.trashQuestion(of: ann)
        #expect(question.counts.files == 1 && question.counts.total == 1)
        try await harness.delete("late")
        try Self.setEqualTimes(harness)
        #expect(try await library.emptyTrash(of: ann, asShown: question) == 1)
        #expect(try await trash(harness).items.map(\.name) == ["late"])
        #expect(try await library.emptyTrash(of: ann) == 1)
        // An item that no list showed is there again with its fund.
        _ = try await library.restore(.fund(second), of: ann)
        #expect(try await trash(harness).items.map(\.name) == ["hidden"])
        #expect(try await library.deletedTexts(of: ann, PageQuery()).items.map(\.item) == [.note(note)])
        #expect(try await library.emptyTrash(of: ann) == 2)
    }

    /// All that stands in the trash was deleted within one second.
    private static func setEqualTimes(_ harness: LibraryHarness) throws {
        try harness.store.connection.write("") { db in
            try db.execute("UPDATE deletion SET at = (SELECT max(at) FROM deletion) WHERE \(Deletion.isRestorable)")
        }
    }

    /// The trash may have as many things as were shown, of the same second, and yet not the same.
    @Test func takesNothingInThePlaceOfWhatWasShown() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        for name in ["shown", "again", "other"] { try await harness.put(name) }
        try await harness.delete("shown")
        try await harness.delete("again")
        func item(_ name: String) async throws -> LibraryItemID {
            try #require(try await trash(harness).items.first { $0.name == name }).item.itemID
        }
        let (shown, again) = (try await item("shown"), try await item("again"))
        func refuses(_ question: TrashQuestion, _ left: [String]) async throws {
            try Self.setEqualTimes(harness)
            await #expect {
                try await library.emptyTrash(of: ann, asShown: question)
            } throws: { ($0 as? StoreError)?.code == .conflict }
            #expect(try await trash(harness).items.map(\.name).sorted() == left)
        }
        // One is restored, and another deleted.
        let question = try await library.trashQuestion(of: ann)
        _ = try await library.restore(shown, of: ann)
        try await harness.delete("other")
        try await refuses(question, ["again", "other"])
        // One is restored and deleted again, and is no answer to the question.
        let second = try await library.trashQuestion(of: ann)
        _ = try await library.restore(again, of: ann)
        try await harness.delete("again")
        try await refuses(second, ["again", "other"])
        // A file that was hidden with its fund comes into the trash with it.
        let fund = try await library.addFund("Shelf", of: ann).id
        try await harness.put("hidden", in: LibraryPlace(fund: fund))
        let hidden = try #require(try await library.item(named: "hidden", in: LibraryPlace(fund: fund), of: ann))
        try await library.delete(hidden.itemID, of: ann)
        try await library.archiveFund(fund, if: nil, of: ann)
        let third = try await library.trashQuestion(of: ann)
        _ = try await library.restore(.fund(fund), of: ann)
        _ = try await library.restore(try await item("other"), of: ann)
        try await refuses(third, ["again", "hidden"])
        // The question of another store, or of this one before it was restored from a backup.
        var foreign = try await library.trashQuestion(of: ann)
        foreign.asOf.epoch += 1
        try await refuses(foreign, ["again", "hidden"])
        #expect(try await library.emptyTrash(of: ann, asShown: try await library.trashQuestion(of: ann)) == 2)
    }

    /// A purge that takes several transactions takes what was shown when it began.
    @Test func leavesWhatIsDeletedMeanwhile() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let folder = try await harness.folder("Many")
        let place = harness.place(folder)
        let count = 1100
        try harness.store.connection.write("") { db in
            let blob: BlobRows.ID = try BlobRows(db: db).id(of: .of([]), size: 0, nil, replacing: .anything)
            for number in 0..<count {
                let content = LibraryChange.Content(blobID: blob, size: 0, contentType: "text/plain", modifiedAt: nil)
                _ = try LibraryChange(db: db, user: ann, limits: .none).addFile(
                    content, at: FileTarget("\(number)", in: place, ifTaken: .refuse))
            }
        }
        try await library.delete(.folder(folder.id), of: ann)
        try await harness.put("late")
        let question = try await library.trashQuestion(of: ann)
        #expect(question.counts.total == 1)
        async let emptied = library.emptyTrash(of: ann, asShown: question)
        try await harness.delete("late")
        #expect(try await emptied == count + 1)
        #expect(try await trash(harness).items.map(\.name) == ["late"])
    }

    /// Items that the trash lists can be looked at by their owner alone, and nothing else that is deleted.
    @Test func showsWhatItLists() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        let folder = try await harness.folder("Reports")
        let (own, inner) = (
            try await harness.put("own.txt").id, try await harness.put("inner.txt", in: harness.place(folder)).id
        )
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1])
        let email = try #require(try await harness.base.file("Subject: mail\n\ntext", parts: [part]).emailID)
        let note = try await library.addNote(NoteText(title: "Call", content: "words"), in: fund, of: ann).id
        func isShown(to user: User.ID) async -> [Bool] {
            let file = try? await library.deletedFile(own, of: user)
            let mail = try? await library.deletedEmail(email, of: user)
            let text = try? await library.deletedNote(note, of: user)
            return [
                file?.name == "own.txt", mail?.text == "hello" && mail?.attachments.count == 1,
                text?.text.content == "words",
            ]
        }
        #expect(await isShown(to: ann) == [false, false, false])
        for item in [LibraryItemID.file(own), .folder(folder.id)] { try await library.delete(item, of: ann) }
        try await library.deleteEmail(email, of: ann)
        try await library.deleteNote(note, unlessChangedSince: nil, of: ann)
        #expect(await isShown(to: ann) == [true, true, true])
        #expect(await isShown(to: harness.bob.id) == [false, false, false])
        #expect(try await library.deletedTexts(of: ann, PageQuery()).items.contains { $0.sender == "ann@example.com" })
        // It comes back with its folder.
        #expect(await failure { _ = try await library.deletedFile(inner, of: ann) } == .notFound)
        try await library.archiveFund(fund, if: nil, of: ann)
        #expect(await isShown(to: ann) == [false, false, false])
        _ = try await library.restore(.fund(fund), of: ann)
        try await library.purge(.file(own), of: ann)
        #expect(await isShown(to: ann) == [false, true, true])
        _ = try await library.emptyTrash(of: ann)
        #expect(await isShown(to: ann) == [false, false, false])
    }
}
