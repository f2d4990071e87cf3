public import Foundation

/// A note as it is at some time: what the calls for changed notes give.
public struct NoteRevision: Sendable, Hashable, Identifiable {
    /// Id on the server; never reused.
    public var id: NoteID
    /// Fund in which it lies.
    public var fund: FundID
    /// Title, in one line.
    public var title: String
    /// Text of any number of lines.
    public var content: String
    /// Grows with every change.
    public var modifiedAt: Date

    init(_ note: Note) {
        (id, fund, title, content, modifiedAt) = (note.id, note.fund, note.title, note.content, note.modifiedAt)
    }

    init(_ note: MobileNote, in fund: FundID) {
        (id, title, content, modifiedAt) = (note.id, note.title, note.content, note.date)
        self.fund = fund
    }
}

/// The notes of a fund that changed.
public struct NoteChanges: Sendable {
    /// Changed then or later. One that is known already may come again.
    public var notes: [NoteRevision]
    /// Notes that are gone since.
    public var deleted: [NoteID]
    /// Time to ask with the next time.
    public var time: Date
}

/// A note in the form of the mobile API.
struct MobileNote: Decodable {
    var id: NoteID
    var title: String
    var content: String
    var date: Date
}
