import Ingest
import Testing

@testable import FundStore

@Suite struct ChangeTests {
    private func feed(_ trial: LibraryTrial, after cursor: Int64?) async throws -> [LibraryItemID: Bool] {
        var (result, cursor): ([LibraryItemID: Bool], Int64?) = ([:], cursor)
        while true {
            let page = try await trial.store.changes(of: trial.ann, after: cursor, limit: 2)
            for change in page.changes {
                #expect(result[change.item] == nil, "\(change.item) came twice")
                #expect(change.cursor > cursor ?? 0)
                cursor = change.cursor
                result[change.item] = change.isDeleted
            }
            #expect(page.cursor == cursor ?? 0)
            if !page.hasMore { return result }
        }
    }

    @Test func eachOnceWithItsLatestChange() async throws {
        let trial = try await LibraryTrial()
        let (store, ann) = (trial.store, trial.ann)
        let email = try #require(
            try await trial.scratch.file("a: b\n\nc", parts: [Scratch.Part(name: "q", bytes: [1])]).emailID)
        let q = try await trial.id("q")
        let folder = try await trial.folder("folder")
        let file = try await trial.put("file", in: trial.place(folder))
        let note = try await store.addNote(NoteText(title: "t", content: "c"), in: trial.top.fund, of: ann)
        for text in ["1", "2", "3"] {
            _ = try await store.changeNote(
                note.id, to: NoteText(title: text, content: ""), unlessChangedSince: nil, of: ann)
        }
        #expect(
            try await feed(trial, after: nil) == [
                .fund(trial.top.fund): false, .email(email): false, q: false, .folder(folder.id): false,
                .file(file.id): false, .note(note.id): false,
            ])
        var cursor = try await store.changeCounter()
        #expect(try await feed(trial, after: cursor) == [:])

        let steps: [(String, @Sendable () async throws -> Void, [LibraryItemID: Bool])] = [
            ("a favourite", { try await store.setFavourite(true, .email(email), of: ann) }, [.email(email): false]),
            ("a deleted email", { try await store.deleteEmail(email, of: ann) }, [.email(email): true]),
            ("a restored email", { _ = try await store.restoreEmail(email, of: ann) }, [.email(email): false]),
            (
                "a deleted folder", { try await store.delete(.folder(folder.id), of: ann) },
                [.folder(folder.id): true, .file(file.id): true]
            ),
            (
                "a restored folder", { _ = try await store.restore(.folder(folder.id), of: ann) },
                [.folder(folder.id): false, .file(file.id): false]
            ),
            ("a renamed file", { try await trial.move(q, to: trial.top, named: "r") }, [q: false]),
            (
                "a renamed fund", { _ = try await store.renameFund(trial.top.fund, to: "f", of: ann) },
                [.fund(trial.top.fund): false]
            ),
            ("a deleted fund", { try await store.deleteFund(trial.top.fund, of: ann) }, [.fund(trial.top.fund): true]),
            (
                "a restored fund", { _ = try await store.restore(.fund(trial.top.fund), of: ann) },
                [
                    .fund(trial.top.fund): false, .email(email): false, q: false, .folder(folder.id): false,
                    .file(file.id): false, .note(note.id): false,
                ]
            ),
            ("nothing", { _ = try await store.funds(of: ann) }, [:]),
        ]
        for (name, step, expected) in steps {
            try await step()
            #expect(try await feed(trial, after: cursor) == expected, "\(name)")
            let next = try await store.changeCounter()
            #expect((next > cursor) == !expected.isEmpty, "\(name)")
            cursor = next
        }
        // Who was away while a fund was deleted does not take its things for there.
        try await store.deleteFund(trial.top.fund, of: ann)
        #expect(Set(try await feed(trial, after: nil).values) == [true])
    }
}
