import FundCore

/// Looks up the items that a person sends with a letter, as they are within one transaction.
struct LetterItemRows {
    private static let operation = "look at what is to be sent"
    /// Bytes of a title or a subject in the name of a file.
    private static let maxTitleBytes = 150

    let view: LibraryView

    /// One for each, in their order. Throws `notFound` and `invalid`.
    func items(_ items: [LibraryItemID]) throws -> [LetterItem] {
        guard items.count <= LetterPolicy.maxAttachments else {
            throw StoreError(
                Self.operation,
                InputProblem(
                    .letterTooManyItems, "a letter holds at most \(LetterPolicy.maxAttachments) files and folders"))
        }
        return try items.map(item)
    }

    private func item(_ item: LibraryItemID) throws -> LetterItem {
        switch item {
        case .file(let id):
            let file = try view.file(id)
            return LetterItem(
                item: item, fund: file.fund, name: file.name, contentType: file.contentType, size: file.size,
                digest: file.digest)
        case .folder(let id):
            let folder = try view.folder(id)
            return LetterItem(
                item: item, fund: folder.fund, name: "\(folder.name).zip", contentType: "application/zip",
                size: try size(of: folder))
        case .note(let id):
            let note = try view.note(id)
            let size = note.text.title.utf8.count + note.text.content.utf8.count
            return LetterItem(
                item: item, fund: note.fund, name: Self.name(note.text.title, or: "Note", ".txt"),
                contentType: "text/plain", size: Int64(size))
        case .email(let id):
            let email = try view.email(id)
            let row = try view.db.row(
                """
                SELECT message.size, message.raw_dropped_at IS NULL FROM email
                    JOIN message ON message.id = email.message_id WHERE email.id = ?
                """, [id])
            let isWhole: Bool = row?[1] ?? false
            return LetterItem(
                item: item, fund: email.fund,
                name: Self.name(email.subject ?? "", or: "Mail", isWhole ? ".eml" : ".txt"),
                contentType: isWhole ? "message/rfc822" : "text/plain", size: isWhole ? row?[0] ?? 0 : 0)
        case .fund: throw StoreError(.invalid, Self.operation, "a fund cannot be sent: send its folders and files")
        }
    }

    /// Bytes of the files in a folder and below it.
    private func size(of folder: FolderEntry) throws -> Int64 {
        try view.db.value(
            """
            WITH RECURSIVE inside (id) AS (
                SELECT ?1 UNION SELECT folder.id FROM inside JOIN folder ON folder.parent_id = inside.id
                    WHERE folder.deleted_at IS NULL)
            SELECT coalesce(sum(file.size), 0) FROM inside JOIN file ON file.folder_id = inside.id
            WHERE file.deleted_at IS NULL
            """, [folder.id]) ?? 0
    }

    /// The name of a file that is made of a text with this title.
    private static func name(_ title: String, or other: String, _ suffix: String) -> String {
        let safe = title.label.replacing(scalar: "/", with: "-").replacing(scalar: "\\", with: "-")
        let stem = safe.prefix(bytes: maxTitleBytes).trimmed
        return (stem.hasVisibleScalar ? stem : other) + suffix
    }
}
