public import Foundation
internal import HTTPTypes

extension Session {
    private struct NoteList: Decodable {
        var notes: [Note]
        var deleted: [NoteID]
        var next: String?
    }

    private struct MobileNoteList: Decodable {
        var notes: [MobileNote]
        var deleted: [NoteID]
        var time: Date
    }

    private struct MobileNoteAnswer: Decodable {
        var note: MobileNote
    }

    private struct Nothing: Decodable {}

    private struct NoteBody: Encodable {
        var title: String
        var content: String
        /// Time of the note that is to be changed, for the mobile API.
        var date: Date?
        /// Time of the note that is to be changed, for the web API.
        var unlessChangedSince: Date?
    }

    /// All notes of a fund, that changed longest ago first.
    public func notes(in fund: FundID) async throws(ClientError) -> [Note] {
        var notes: [Note] = []
        var cursor: String?
        repeat {
            let list = try await value(NoteList.self, .get("/api/v1/funds/\(fund)/notes", [("cursor", cursor)]))
            notes += list.notes
            cursor = list.next
        } while cursor != nil
        return notes
    }

    /// One note.
    public func note(_ id: NoteID) async throws(ClientError) -> Note {
        try await value(.get("/api/v1/notes/\(id)"))
    }

    /// The notes of a fund that changed since a time.
    /// - Parameter time: `NoteChanges.time` of the last call; nil for all notes.
    public func noteChanges(in fund: FundID, since time: Date?) async throws(ClientError) -> NoteChanges {
        let seconds = time.map { "\($0.secondsSince1970)" }
        return try await mobileOrWeb { () async throws(ClientError) in
            let list: MobileNoteList = try await self.mobileValue(.get("/notes/\(fund)", [("since", seconds)]))
            let notes = list.notes.map { NoteRevision($0, in: fund) }
            return NoteChanges(notes: notes, deleted: list.deleted, time: list.time)
        } web: { () async throws(ClientError) in
            // Before the notes are read: a change in between comes twice rather than never.
            let now = self.clock.now
            var changes = NoteChanges(notes: [], deleted: [], time: now)
            var cursor: String?
            repeat {
                let list = try await self.value(
                    NoteList.self, .get("/api/v1/funds/\(fund)/notes", [("since", seconds), ("cursor", cursor)]))
                changes.notes += list.notes.map { NoteRevision($0) }
                changes.deleted += list.deleted
                cursor = list.next
            } while cursor != nil
            return changes
        }
    }

    /// A new note.
    public func addNote(
        titled title: String, _ content: String, in fund: FundID
    ) async throws(ClientError) -> NoteRevision {
        let body = NoteBody(title: title, content: content)
        return try await mobileOrWeb { () async throws(ClientError) in
            let answer: MobileNoteAnswer = try await self.mobileValue(.sending(.post, "/notes/\(fund)", body))
            return NoteRevision(answer.note, in: fund)
        } web: { () async throws(ClientError) in
            let call = try Call.sending(.post, "/api/v1/funds/\(fund)/notes", body)
            return NoteRevision(try await self.value(Note.self, call))
        }
    }

    /// Another title and content.
    ///
    /// Throws `conflict` when the note was changed since `time`; nothing is changed then.
    /// - Parameter time: `modifiedAt` of the note that is known; nil changes it whatever it is.
    public func changeNote(
        _ id: NoteID, in fund: FundID, title: String, content: String, unlessChangedSince time: Date?
    ) async throws(ClientError) -> NoteRevision {
        try await mobileOrWeb { () async throws(ClientError) in
            let body = NoteBody(title: title, content: content, date: time)
            let answer: MobileNoteAnswer = try await self.mobileValue(.sending(.put, "/notes/\(id)/\(fund)", body))
            return NoteRevision(answer.note, in: fund)
        } web: { () async throws(ClientError) in
            let body = NoteBody(title: title, content: content, unlessChangedSince: time)
            return NoteRevision(try await self.value(Note.self, .sending(.put, "/api/v1/notes/\(id)", body)))
        }
    }

    /// Puts it into the trash. Throws `conflict` when the note was changed since `time`; nil deletes it whatever it is.
    public func deleteNote(
        _ id: NoteID, in fund: FundID, unlessChangedSince time: Date? = nil
    ) async throws(ClientError) {
        let seconds = time.map { "\($0.secondsSince1970)" }
        try await mobileOrWeb { () async throws(ClientError) in
            var call = Call(.delete, "/notes/\(id)/\(fund)")
            if let seconds { call.query = [("date", seconds)] }
            let _: Nothing = try await self.mobileValue(call)
        } web: { () async throws(ClientError) in
            var call = Call(.delete, "/api/v1/notes/\(id)")
            if let seconds { call.query = [("unless_changed_since", seconds)] }
            try await self.done(call)
        }
    }

    /// Takes it out of the trash.
    public func restoreNote(_ id: NoteID) async throws(ClientError) -> Note {
        try await value(Call(.post, "/api/v1/notes/\(id)/restore"))
    }
}
