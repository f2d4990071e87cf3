internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// A note that was sent when its session had ended. The page where one signs in carries it along, and the editor shows
/// it again to the same person, as it does when another session of theirs followed; nothing is kept on the server, and
/// nothing is saved before it is sent once more.
struct NoteDraft: Sendable {
    /// Bytes of the form that are carried along; a longer one has to be sent again by the browser's Back.
    static let maxFormBytes = 512 * 1024
    /// Fields that are kept as they were written.
    static let textFields: Set = ["title", "content"]

    enum Place: Sendable {
        case new(Fund.ID)
        case note(NoteEntry.ID)
    }

    var place: Place
    var text: NoteText
    /// `modifiedAt` of the note that was changed.
    var since: Timestamp?

    init(_ place: Place, _ text: NoteText, since: Timestamp?) {
        (self.place, self.text, self.since) = (place, text, since)
    }

    /// - Parameter form: of the note itself.
    init(_ place: Place, _ form: FieldText) {
        self.place = place
        text = NoteText(title: form["title"] ?? "", content: form["content"] ?? "")
        since = form["since"].flatMap { QueryText.number($0) }.map { Timestamp($0) }
    }

    /// The page of the editor.
    var address: String {
        switch place {
        case .new(let fund): "/library/funds/\(fund)/new-note"
        case .note(let note): "/library/notes/\(note)"
        }
    }
}
