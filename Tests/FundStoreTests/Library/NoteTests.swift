import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct NoteTests {
    private func text(_ text: String) -> NoteText { NoteText(title: text, content: "\(text) content") }

    @Test func timesGrow() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        var one = try await store.library.addNote(text("one"), in: fund, of: ann)
        let two = try await store.library.addNote(text("two"), in: fund, of: ann)
        for round in 0..<5 {
            let changed = try await store.library.changeNote(
                one.id, to: text("\(round)"), unlessChangedSince: one.modifiedAt, of: ann)
            #expect(changed.modifiedAt > one.modifiedAt)
            one = changed
        }
        // Another note that changes afterwards is not older than what was seen.
        let seen = one.modifiedAt
        let later = try await store.library.changeNote(two.id, to: text("later"), unlessChangedSince: nil, of: ann)
        #expect(later.modifiedAt >= seen)
        #expect(try await store.library.notes(in: fund, since: seen, of: ann).notes.map(\.id).contains(two.id))
        #expect(try await store.library.notes(in: fund, since: nil, of: ann).notes.count == 2)
        #expect(try await store.library.notes(in: fund, since: later.modifiedAt + .seconds(1), of: ann).notes == [])
    }

    @Test func refusesLongTitles() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.top.fund)
        let most = String(repeating: "a", count: NoteText.maxTitleBytes)
        let note = try await library.addNote(NoteText(title: most, content: ""), in: fund, of: ann)
        let long = NoteText(title: most + "a", content: "")
        #expect(await failure { _ = try await library.addNote(long, in: fund, of: ann) } == .invalid)
        #expect(
            await failure { _ = try await library.changeNote(note.id, to: long, unlessChangedSince: nil, of: ann) }
                == .invalid)
        #expect(try await library.note(note.id, of: ann).text.title == most)
        _ = try await library.changeNote(
            note.id, to: NoteText(title: most, content: "x"), unlessChangedSince: nil, of: ann)
    }

    @Test func aChangeInBetweenIsNotOverwritten() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        let note = try await store.library.addNote(text("one"), in: fund, of: ann)
        _ = try await store.library.changeNote(note.id, to: text("two"), unlessChangedSince: note.modifiedAt, of: ann)
        for time in [note.modifiedAt, note.modifiedAt - .seconds(1), Timestamp(.max)] {
            #expect(
                await failure {
                    _ = try await store.library.changeNote(note.id, to: text("x"), unlessChangedSince: time, of: ann)
                } == .conflict)
            #expect(
                await failure { try await store.library.deleteNote(note.id, unlessChangedSince: time, of: ann) }
                    == .conflict)
        }
        #expect(try await store.library.note(note.id, of: ann).text == text("two"))
    }

    @Test func deletedNotesAreTold() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        let note = try await store.library.addNote(text("one"), in: fund, of: ann)
        try await store.library.deleteNote(note.id, unlessChangedSince: note.modifiedAt, of: ann)
        let changes = try await store.library.notes(in: fund, since: note.modifiedAt + .seconds(1), of: ann)
        #expect(changes.notes == [])
        #expect(changes.deleted == [note.id])
        #expect(try await store.library.notes(in: fund, since: nil, of: ann).deleted == [])
        #expect(await failure { _ = try await store.library.note(note.id, of: ann) } == .notFound)
        let back = try await store.library.restoreNote(note.id, of: ann)
        #expect(back.text == text("one"))
        #expect(back.modifiedAt > note.modifiedAt + .seconds(1))
    }
}
