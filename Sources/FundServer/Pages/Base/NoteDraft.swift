internal import Hummingbird
internal import FundCore

/// A note that was sent when its session had ended. The page where one signs in carries it along, and the editor shows
/// it again to the same person, as it does when another session of theirs followed; nothing is kept on the server, and
/// nothing is saved before it is sent once more.
struct NoteDraft: Sendable {
    /// Bytes of the form that are carried along; a longer one has to be sent again by the browser's Back.
    static let maxFormBytes = 512 * 1024

    enum Place: Sendable {
        case new(Fund.ID)
        case note(NoteEntry.ID)
    }

    var place: Place
    var text: NoteText
    /// `modifiedAt` of the note that was changed.
    var since: Timestamp?

    /// - Parameter form: of the note itself.
    init(_ place: Place, _ form: FieldText) {
        self.place = place
        text = NoteText(title: form["title"] ?? "", content: form["content"] ?? "")
        since = form["since"].flatMap { QueryText.number($0) }.map { Timestamp($0) }
    }

    /// From the page where one signs in; nil when it carries none.
    init?(carriedBy form: FieldText) {
        guard let kind = form["draft_kind"], let id = form["draft_id"].flatMap({ QueryText.number($0) }), id > 0 else {
            return nil
        }
        switch kind {
        case "new": place = .new(Fund.ID(id))
        case "note": place = .note(NoteEntry.ID(id))
        default: return nil
        }
        text = NoteText(title: form["draft_title"] ?? "", content: form["draft_content"] ?? "")
        since = form["draft_since"].flatMap { QueryText.number($0) }.map { Timestamp($0) }
    }

    /// The page of the editor.
    var address: String {
        switch place {
        case .new(let fund): "/library/funds/\(fund)/new-note"
        case .note(let note): "/library/notes/\(note)"
        }
    }

    /// Hidden fields of the page where one signs in.
    /// - Parameter owner: proves whose text it is, see `PageSessions.draftToken`.
    func model(owner: String) -> PageModel {
        let (kind, id) =
            switch place {
            case .new(let fund): ("new", "\(fund)")
            case .note(let note): ("note", "\(note)")
            }
        let fields = [
            ("kind", kind), ("id", id), ("owner", owner), ("title", text.title), ("content", text.content),
            ("since", since.map { "\($0)" } ?? ""),
        ]
        return ["fields": fields.map { ["name": "draft_\($0.0)", "value": $0.1] as PageModel }]
    }
}

extension PageSessions {
    /// Says whose text a page has, without telling it: the `writer` of an editor, the `draft_owner` of what is carried.
    func draftToken(of user: User.ID) -> String { formToken(of: "draft of \(user)") }

    func isDraftToken(_ text: String, of user: User.ID) -> Bool { isFormToken(text, of: "draft of \(user)") }
}
