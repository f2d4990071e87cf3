/// A text in a form that came when its session had ended. The page where one signs in carries it along, and its page
/// shows it again to the same person, as it does when another session of theirs followed. Nothing is kept on the
/// server, and nothing is saved or sent before it comes once more.
enum PageDraft: Sendable {
    case note(NoteDraft)
    case letter(LetterDraft)

    /// Bytes of the form that are carried along; a longer one has to be sent again by the browser's Back.
    static let maxFormBytes = 512 * 1024
    /// Fields that are kept as they were written.
    static let textFields: Set = ["title", "content", "subject", "text"]

    /// The page where it is written.
    var address: String {
        switch self {
        case .note(let draft): draft.address
        case .letter(let draft): draft.address
        }
    }
}
