/// The two lists of the trash.
enum TrashPart {
    /// Funds, folders and files.
    case items
    /// Emails and notes.
    case texts

    /// Fields of the query that asks for it.
    var fields: [(name: String, value: String?)] { [("of", self == .items ? nil : "mail")] }
}
