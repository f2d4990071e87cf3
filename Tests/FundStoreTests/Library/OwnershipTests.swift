import TestSupport
import FundCore
import Testing

@testable import FundStore

/// Everything of Ann's, and every call that names something, made by Bob.
@Suite struct OwnershipTests {
    struct Belongings: Sendable {
        var fund: Fund.ID
        var folder: FolderEntry.ID
        var file: FileEntry.ID
        var email: EmailSummary.ID
        var attachment: AttachmentEntry.ID
        var note: NoteEntry.ID
        var deletedFund: Fund.ID
        var deletedFolder: FolderEntry.ID
        var deletedFile: FileEntry.ID
        var deletedEmail: EmailSummary.ID
        var deletedNote: NoteEntry.ID
        /// A place of Bob himself.
        var own: LibraryPlace
        var ownFile: FileEntry.ID
    }

    typealias Call = @Sendable (LibraryHarness, Belongings, User.ID) async throws -> Void

    static let calls: [(name: String, call: Call)] = [
        ("fund", { _ = try await $0.store.library.fund($1.fund, of: $2) }),
        ("renameFund", { _ = try await $0.store.library.renameFund($1.fund, to: "x", of: $2) }),
        ("deleteFund", { try await $0.store.library.deleteFund($1.fund, of: $2) }),
        ("changeFund", { _ = try await $0.store.library.changeFund($1.fund, name: nil, aliases: ["x"], of: $2) }),
        ("children", { _ = try await $0.store.library.children(of: LibraryPlace(fund: $1.fund), of: $2) }),
        (
            "children of a folder",
            { _ = try await $0.store.library.children(of: LibraryPlace(fund: $1.fund, folder: $1.folder), of: $2) }
        ),
        (
            "children of a folder, by another fund",
            { _ = try await $0.store.library.children(of: LibraryPlace(fund: $1.own.fund, folder: $1.folder), of: $2) }
        ),
        ("folder", { _ = try await $0.store.library.folder($1.folder, of: $2) }),
        ("file", { _ = try await $0.store.library.file($1.file, of: $2) }),
        ("addFolder", { _ = try await $0.store.library.addFolder("x", in: LibraryPlace(fund: $1.fund), of: $2) }),
        (
            "addFolder in a folder",
            {
                _ = try await $0.store.library.addFolder(
                    "x", in: LibraryPlace(fund: $1.own.fund, folder: $1.folder), of: $2)
            }
        ),
        (
            "addFile",
            {
                let target = FileTarget("x", in: LibraryPlace(fund: $1.fund), ifTaken: .replace)
                _ = try await $0.store.library.addFile(try $0.upload("x"), at: target, of: $2)
            }
        ),
        ("copyFund", { _ = try await $0.store.library.copyFund($1.fund, to: "x", isShallow: false, of: $2) }),
        ("setModifiedAt", { try await $0.store.library.setModifiedAt(1, of: $1.file, of: $2) }),
        ("move a file", { _ = try await $0.move(.file($1.file), to: $1.own, of: $2) }),
        ("move a folder", { _ = try await $0.move(.folder($1.folder), to: $1.own, of: $2) }),
        ("move into", { _ = try await $0.move(.file($1.ownFile), to: LibraryPlace(fund: $1.fund), of: $2) }),
        (
            "move into a folder",
            { _ = try await $0.move(.file($1.ownFile), to: LibraryPlace(fund: $1.own.fund, folder: $1.folder), of: $2) }
        ),
        ("copy a file", { _ = try await $0.copy(.file($1.file), to: $1.own, of: $2) }),
        ("copy a folder", { _ = try await $0.copy(.folder($1.folder), to: $1.own, of: $2) }),
        ("copy into", { _ = try await $0.copy(.file($1.ownFile), to: LibraryPlace(fund: $1.fund), of: $2) }),
        ("delete a fund", { try await $0.store.library.delete(.fund($1.fund), of: $2) }),
        ("delete a folder", { try await $0.store.library.delete(.folder($1.folder), of: $2) }),
        ("delete a file", { try await $0.store.library.delete(.file($1.file), of: $2) }),
        ("delete an email", { try await $0.store.library.delete(.email($1.email), of: $2) }),
        ("delete a note", { try await $0.store.library.delete(.note($1.note), of: $2) }),
        ("restore a fund", { _ = try await $0.store.library.restore(.fund($1.deletedFund), of: $2) }),
        ("restore a folder", { _ = try await $0.store.library.restore(.folder($1.deletedFolder), of: $2) }),
        ("restore a file", { _ = try await $0.store.library.restore(.file($1.deletedFile), of: $2) }),
        ("restoreEmail", { _ = try await $0.store.library.restoreEmail($1.deletedEmail, of: $2) }),
        ("restoreNote", { _ = try await $0.store.library.restoreNote($1.deletedNote, of: $2) }),
        ("a favourite fund", { try await $0.store.library.setFavourite(true, .fund($1.fund), of: $2) }),
        ("a favourite folder", { try await $0.store.library.setFavourite(true, .folder($1.folder), of: $2) }),
        ("a favourite file", { try await $0.store.library.setFavourite(true, .file($1.file), of: $2) }),
        ("a favourite email", { try await $0.store.library.setFavourite(true, .email($1.email), of: $2) }),
        ("a favourite note", { try await $0.store.library.setFavourite(true, .note($1.note), of: $2) }),
        ("properties", { _ = try await $0.store.library.properties(of: .file($1.file), of: $2) }),
        (
            "itemsWithProperties",
            { _ = try await $0.store.library.itemsWithProperties(in: LibraryPlace(fund: $1.fund), of: $2) }
        ),
        ("setProperties", { try await $0.store.library.setProperties(["a": "b"], of: .file($1.file), of: $2) }),
        (
            "emails",
            { harness, ids, user in
                var query = EmailQuery()
                query.fund = ids.fund
                _ = try await harness.store.library.emails(query, of: user)
            }
        ),
        (
            "emails with text",
            { harness, ids, user in
                var query = EmailQuery()
                (query.fund, query.text) = (ids.fund, "hello")
                _ = try await harness.store.library.emails(query, of: user)
            }
        ),
        ("email", { _ = try await $0.store.library.email($1.email, of: $2) }),
        ("attachment", { _ = try await $0.store.library.attachment($1.attachment, of: $2) }),
        ("moveEmail", { _ = try await $0.store.library.moveEmail($1.email, to: $1.own.fund, of: $2) }),
        ("deleteEmail", { try await $0.store.library.deleteEmail($1.email, of: $2) }),
        ("notes", { _ = try await $0.store.library.notes(in: $1.fund, since: nil, of: $2) }),
        (
            "notes by title",
            { _ = try await $0.store.library.notes(in: $1.fund, by: NoteOrder(.title), PageQuery(), of: $2) }
        ),
        ("countNotes", { _ = try await $0.store.library.countNotes(in: $1.fund, of: $2) }),
        ("countEmails", { _ = try await $0.store.library.countEmails(in: $1.fund, of: $2) }),
        ("zipItems", { _ = try await $0.zipItems(ZipSelection(fund: $1.fund), of: $2) }),
        ("zipItems of a folder", { _ = try await $0.zipItems([.folder($1.folder)], in: $1.fund, of: $2) }),
        ("zipItems of a file", { _ = try await $0.zipItems([.file($1.file)], in: $1.fund, of: $2) }),
        ("zipItems of an email", { _ = try await $0.zipItems([.email($1.email)], in: $1.fund, of: $2) }),
        ("note", { _ = try await $0.store.library.note($1.note, of: $2) }),
        ("addNote", { _ = try await $0.store.library.addNote(NoteText(title: "x", content: ""), in: $1.fund, of: $2) }),
        (
            "changeNote",
            {
                let text = NoteText(title: "x", content: "")
                _ = try await $0.store.library.changeNote($1.note, to: text, unlessChangedSince: nil, of: $2)
            }
        ),
        ("deleteNote", { try await $0.store.library.deleteNote($1.note, unlessChangedSince: nil, of: $2) }),
        (
            "search",
            { harness, ids, user in
                var query = SearchQuery(text: "hello")
                query.fund = ids.fund
                _ = try await harness.store.library.search(query, of: user)
            }
        ),
    ]

    static func belongings(_ harness: LibraryHarness) async throws -> Belongings {
        let (store, ann) = (harness.store, harness.ann)
        let parts = [StoreHarness.Part(name: "q3.pdf", bytes: [1])]
        let email = try #require(try await harness.base.file("a: b\n\nc", parts: parts).emailID)
        let deletedEmail = try #require(try await harness.base.file("a: b\n\nd").emailID)
        let attachment = try await store.library.email(email, of: ann).attachments[0].id
        let folder = try await harness.folder("folder")
        let file = try await harness.put("file")
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: harness.top.fund, of: ann)
        let deletedFund = try await store.library.addFund("gone", of: ann)
        let deletedFolder = try await harness.folder("gone folder")
        let deletedFile = try await harness.put("gone file")
        let deletedNote = try await store.library.addNote(
            NoteText(title: "t", content: "c"), in: harness.top.fund, of: ann)
        let items: [LibraryItemID] = [
            .fund(deletedFund.id), .folder(deletedFolder.id), .file(deletedFile.id), .email(deletedEmail),
            .note(deletedNote.id),
        ]
        for item in items { try await store.library.delete(item, of: ann) }
        let own = LibraryPlace(fund: harness.bobsFund.id)
        let ownFile = try await store.library.addFile(
            try harness.upload("x"), at: FileTarget("own", in: own, ifTaken: .refuse), of: harness.bob.id)
        return Belongings(
            fund: harness.top.fund, folder: folder.id, file: file.id, email: email, attachment: attachment,
            note: note.id, deletedFund: deletedFund.id, deletedFolder: deletedFolder.id, deletedFile: deletedFile.id,
            deletedEmail: deletedEmail, deletedNote: deletedNote.id, own: own, ownFile: ownFile.id)
    }

    private static let beginning = Task {
        let harness = try await LibraryHarness()
        let ids = try await belongings(harness)
        return (template: try LibraryHarness.Template(harness), ids: ids)
    }

    /// An administrator has no more rights here than others.
    @Test func anothersThingsDoNotExist() async throws {
        let harness = try await LibraryHarness()
        let ids = try await Self.belongings(harness)
        let before = try await harness.tree()
        let counter = try await harness.store.library.latestChanges()
        for (name, call) in Self.calls {
            #expect(await failure { try await call(harness, ids, harness.bob.id) } == .notFound, "\(name)")
        }
        #expect(try await harness.tree() == before)
        #expect(try await harness.store.library.latestChanges() == counter)
        let bob = harness.bob.id
        #expect(try await harness.store.library.item(at: ["Fund1", "file"], of: bob) == nil)
        #expect(try await harness.store.library.funds(of: bob).map(\.id) == [harness.bobsFund.id])
        #expect(try await harness.store.library.emails(EmailQuery(), of: bob).items == [])
        #expect(try await harness.store.library.deletedItems(of: bob) == [])
        #expect(try await harness.store.library.search(SearchQuery(text: "file"), of: bob).items == [])
        let changed = try await harness.store.library.changes(of: bob, after: nil, limit: 100).changes.map(\.item)
        #expect(Set(changed) == [.fund(harness.bobsFund.id), .file(ids.ownFile)])
    }

    /// Their owner is not refused these calls: the table above would prove nothing otherwise.
    @Test(arguments: calls.indices)
    func theirOwnerFindsThem(_ index: Int) async throws {
        let beginning = try await Self.beginning.value
        let harness = try LibraryHarness(beginning.template)
        var ids = beginning.ids
        // Bob's own items in the table are Ann's here.
        ids.own = LibraryPlace(fund: try await harness.store.library.addFund("other", of: harness.ann).id)
        ids.ownFile = try await harness.put("own", in: ids.own).id
        let (name, call) = Self.calls[index]
        // A folder of one fund is not found in another, by any user.
        let isElsewhere = ["children of a folder, by another fund", "addFolder in a folder", "move into a folder"]
            .contains(name)
        let kind = await failure { [ids] in try await call(harness, ids, harness.ann) }
        #expect(kind == (isElsewhere ? .notFound : nil), "\(name)")
    }
}

extension LibraryHarness {
    func zipItems(_ selection: ZipSelection, of user: User.ID? = nil) async throws -> [ZipItem] {
        try await store.library.zipItems(selection, atMost: 1000, of: user ?? ann)
    }

    func zipItems(_ items: [LibraryItemID], in fund: Fund.ID, of user: User.ID? = nil) async throws -> [ZipItem] {
        try await zipItems(ZipSelection(fund: fund, items: items), of: user)
    }
}
