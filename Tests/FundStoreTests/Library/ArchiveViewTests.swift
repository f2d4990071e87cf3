import FundCore
import Testing

@testable import FundStore

/// The view of archived funds: all of them and nothing else, and nothing changes through it.
@Suite struct ArchiveViewTests {
    @Test func seesArchivedFundsAlone() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.top.fund)
        let archive = library.archive
        let letter = StoreHarness.Part(name: "q.txt", bytes: [1])
        let email = try #require(try await harness.base.file("a: b\n\nc", parts: [letter]).emailID)
        let folder = try await harness.folder("folder")
        let file = try await harness.put("file", in: harness.place(folder)).id
        let note = try await library.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann).id
        try await harness.put("gone")
        try await harness.delete("gone")
        let looks: [(String, @Sendable (User.ID) async throws -> Void)] = [
            ("fund", { _ = try await archive.fund(fund, of: $0) }),
            ("folder", { _ = try await archive.folder(folder.id, of: $0) }),
            ("file", { _ = try await archive.file(file, of: $0) }),
            ("email", { _ = try await archive.email(email, of: $0) }),
            ("note", { _ = try await archive.note(note, of: $0) }),
            ("contents", { _ = try await archive.contents(of: fund, PageQuery(), of: $0) }),
        ]
        for (name, look) in looks { #expect(await failure { try await look(ann) } == .notFound, "\(name), present") }

        try await library.archiveFund(fund, if: nil, of: ann)
        for (name, look) in looks {
            #expect(await failure { try await look(ann) } == nil, "\(name)")
            #expect(await failure { try await look(harness.bob.id) } == .notFound, "\(name), another's")
        }
        let contents = try await archive.contents(of: fund, PageQuery(), of: ann).items.map(\.itemID)
        #expect(
            contents.first == .folder(folder.id) && contents.contains(.email(email)) && contents.contains(.note(note)))
        // With the file that the mail brought, and without the one that was deleted.
        #expect(contents.count == 4)
        #expect(
            try await archive.rows(
                of: harness.place(folder), by: ItemOrder(.name), matching: FileFilter(), PageQuery(), of: ann
            ).items.map(\.item.itemID) == [.file(file)])

        let changes: [@Sendable () async throws -> Void] = [
            { try await archive.delete(.file(file), if: nil, of: ann) },
            { _ = try await archive.addNote(NoteText(title: "t", content: "c"), in: fund, of: ann) },
            { _ = try await archive.moveEmail(email, to: fund, if: nil, of: ann) },
        ]
        for change in changes { #expect(await failure { try await change() } == .invalid) }

        _ = try await library.restore(.fund(fund), of: ann)
        for (name, look) in looks { #expect(await failure { try await look(ann) } == .notFound, "\(name), back") }
    }
}
