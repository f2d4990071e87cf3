internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// A note that was sent when its session had ended.
struct NoteDraft: Sendable {
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
