/// One thing of a fund in the list of all that it has.
package enum FundContent: Sendable, Hashable {
    /// A folder or file at the top of the fund.
    case placed(PlaceRow)
    case email(EmailSummary)
    case note(NoteEntry)

    package var itemID: LibraryItemID {
        switch self {
        case .placed(let row): row.item.itemID
        case .email(let email): .email(email.id)
        case .note(let note): .note(note.id)
        }
    }
}
