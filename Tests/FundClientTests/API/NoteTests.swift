import FundClient
import Foundation
import TestSupport
import Testing

@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(3))) struct NoteTests {
    @Test func addsChangesAndDeletesNotes() async throws {
        try await withSession { session in
            let fund = try await session.makeFund(named: "Notes")
            try await Self.checkNotes(session, fund.id)
        }
    }

    /// All calls of notes, whichever API answers them.
    static func checkNotes(_ session: Session, _ fund: FundID) async throws {
        let content = "Grüße 日本 &=%+\n\"quoted\" \u{1F600}"
        let note = try await session.addNote(titled: "A & B = C?", content, in: fund)
        #expect(note.title == "A & B = C?" && note.content == content && note.fund == fund)
        let changed = try await session.changeNote(
            note.id, in: fund, title: "B", content: "", unlessChangedSince: note.modifiedAt)
        #expect(changed.id == note.id && changed.modifiedAt >= note.modifiedAt && changed.content == "")
        let conflict = await code {
            _ = try await session.changeNote(
                note.id, in: fund, title: "C", content: "",
                unlessChangedSince: note.modifiedAt.addingTimeInterval(-60))
        }
        #expect(conflict == .conflict)
        #expect(try await session.notes(in: fund).map(\.title) == ["B"])
        let first = try await session.noteChanges(in: fund, since: nil)
        #expect(first.notes == [changed] && first.deleted.isEmpty)
        let whole = try await session.note(note.id)
        #expect(whole.title == "B")
        try await session.deleteNote(note.id, in: fund)
        let later = try await session.noteChanges(in: fund, since: first.time)
        #expect(later.notes.isEmpty && later.deleted == [note.id])
        #expect(try await session.restoreNote(note.id).title == "B")
        #expect(await code { try await session.deleteNote(NoteID(999), in: fund) } == .notFound)
    }
}
