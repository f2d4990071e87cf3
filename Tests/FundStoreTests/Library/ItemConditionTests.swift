import TestSupport
import FundCore
import Testing

@testable import FundStore

/// Conditions of changes, and what these leave open, hold in the transaction that makes the change.
@Suite struct ItemConditionTests {
    /// A rename keeps the place and a move keeps the name, whatever another did since the client looked.
    @Test func whatIsLeftOpenIsAsItIsNow() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let (one, two) = (try await harness.folder("one"), try await harness.folder("two"))
        let file = try await harness.put("a")
        for item in [LibraryItemID.file(file.id), .folder(two.id)] {
            try await harness.move(item, to: harness.place(one))
            let renamed = try await store.library.move(item, to: ItemTarget(.unchanged, name: "new"), if: nil, of: ann)
            #expect(try place(of: renamed) == harness.place(one) && renamed.name == "new")
            let moved = try await store.library.move(item, to: ItemTarget(.place(harness.top)), if: nil, of: ann)
            #expect(try place(of: moved) == harness.top && moved.name == "new")
            _ = try await store.library.move(
                item, to: ItemTarget(.unchanged, name: item == .folder(two.id) ? "two" : "a"), if: nil, of: ann)
        }
        let copy = try await store.library.copy(
            .file(file.id), to: ItemTarget(.unchanged, ifTaken: .number), isShallow: false, if: nil, of: ann)
        #expect(try place(of: copy) == harness.top && copy.name == "a(1)")
    }

    /// The folder's own fund counts, also when it has come into another one.
    @Test func aFolderIsFoundInItsFund() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let other = LibraryPlace(fund: try await store.library.addFund("Other", of: ann).id)
        let folder = try await harness.folder("folder")
        try await harness.move(.folder(folder.id), to: other)
        let file = try await harness.put("a")
        let moved = try await store.library.move(.file(file.id), to: ItemTarget(.folder(folder.id)), if: nil, of: ann)
        #expect(try place(of: moved) == LibraryPlace(fund: other.fund, folder: folder.id))
        #expect(
            await failure {
                _ = try await store.library.move(
                    .file(file.id), to: ItemTarget(.folder(folder.id)), if: nil, of: harness.bob.id)
            } == .notFound)
    }

    @Test func partsOfANoteAreChangedAlone() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: harness.top.fund, of: ann)
        _ = try await store.library.changeNote(note.id, NoteChange(title: "new", content: nil), if: nil, of: ann)
        let changed = try await store.library.changeNote(
            note.id, NoteChange(title: nil, content: "d"), if: nil, of: ann)
        #expect(changed.text == NoteText(title: "new", content: "d"))
    }

    /// Every change that takes a condition: it sees the item as it is, and nothing happens when it is false.
    @Test func nothingChangesWithoutItsCondition() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        let email = try #require(try await harness.base.file("a: b\n\nc").emailID)
        let other = try await store.library.addFund("Other", of: ann).id
        let folder = try await harness.folder("folder").id
        let file = try await harness.put("file").id
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann).id
        let target = ItemTarget(.place(LibraryPlace(fund: other)))
        let twin = ItemTarget(.place(LibraryPlace(fund: other)), name: "twin")
        typealias Change = @Sendable (@escaping ItemCondition) async throws -> Void
        let changes: [(String, LibraryItemID, Change)] = [
            (
                "fund", .fund(fund),
                { _ = try await store.library.changeFund(fund, name: "x", aliases: nil, if: $0, of: ann) }
            ),
            ("move", .file(file), { _ = try await store.library.move(.file(file), to: target, if: $0, of: ann) }),
            (
                "move", .folder(folder),
                { _ = try await store.library.move(.folder(folder), to: target, if: $0, of: ann) }
            ),
            (
                "copy", .file(file),
                { _ = try await store.library.copy(.file(file), to: twin, isShallow: false, if: $0, of: ann) }
            ),
            (
                "properties", .file(file),
                {
                    try await store.library.setProperties(
                        ["{a}b": "c"], modifiedAt: 1, of: .file(file), if: $0, of: ann)
                }
            ),
            ("email", .email(email), { _ = try await store.library.moveEmail(email, to: other, if: $0, of: ann) }),
            (
                "note", .note(note),
                { _ = try await store.library.changeNote(note, NoteChange(title: "x", content: nil), if: $0, of: ann) }
            ),
            ("delete", .email(email), { try await store.library.deleteEmail(email, if: $0, of: ann) }),
            (
                "delete", .note(note),
                { try await store.library.deleteNote(note, unlessChangedSince: nil, if: $0, of: ann) }
            ),
            ("delete", .file(file), { try await store.library.delete(.file(file), if: $0, of: ann) }),
            ("delete", .folder(folder), { try await store.library.delete(.folder(folder), if: $0, of: ann) }),
            ("delete", .fund(fund), { try await store.library.delete(.fund(fund), if: $0, of: ann) }),
        ]
        let before = try await store.library.latestChanges()
        for (name, item, change) in changes {
            #expect(await failure { try await change { _ in false } } == .preconditionFailed, "\(name) \(item)")
        }
        #expect(try await store.library.latestChanges() == before)
        #expect(try await store.library.properties(of: .file(file), of: ann).isEmpty)
        for (name, item, change) in changes {
            #expect(await failure { try await change { $0.itemID == item } } == nil, "\(name) \(item)")
        }
    }

    private func place(of item: LibraryItem) throws -> LibraryPlace {
        switch item {
        case .file(let file): LibraryPlace(fund: file.fund, folder: file.folder)
        case .folder(let folder): LibraryPlace(fund: folder.fund, folder: folder.parent)
        case .fund(let fund): LibraryPlace(fund: fund.id)
        }
    }
}

extension ItemState {
    fileprivate var itemID: LibraryItemID {
        switch self {
        case .item(let item): item.itemID
        case .email(let email): .email(email.summary.id)
        case .note(let note): .note(note.id)
        }
    }
}
