internal import Foundation
internal import GRDB

/// Writes into the catalogue what the feed tells, within one transaction.
struct CatalogueWriter {
    let db: Database
    /// The round of the feed, see `CatalogueSchema`.
    let round: Int64

    func apply(_ change: Change) throws {
        if change.isDeleted {
            try remove(change.kind, change.id)
        } else if let item = change.item {
            try put(item)
        }
        // Otherwise it changed between two looks of the server; the feed tells it again.
    }

    /// Writes a thing as it is now.
    func put(_ item: ChangedItem) throws {
        switch item {
        case .fund(let fund): try fund.deletedAt == nil ? put(fund) : remove(.fund, fund.id.value)
        case .folder(let folder): try folder.deletedAt == nil ? put(folder) : remove(.folder, folder.id.value)
        case .file(let file): try file.deletedAt == nil ? put(file) : remove(.file, file.id.value)
        case .email(let email): try email.deletedAt == nil ? put(email) : remove(.email, email.id.value)
        case .note(let note): try put(note)
        }
    }

    /// A fund takes with it what is in it: the feed tells all of that again when the fund comes back.
    func remove(_ kind: Change.Kind, _ id: Int64) throws {
        try db.cachedStatement(sql: "DELETE FROM \(kind.rawValue) WHERE id = ?").execute(arguments: [id])
        guard kind == .fund else { return }
        for table in ["folder", "file", "email", "note"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE fund = ?", arguments: [id])
        }
    }

    /// After a whole round: what was not told in it is there no more.
    func removeUnseen() throws {
        for table in ["fund", "folder", "file", "email", "note"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE seen < ?", arguments: [round])
        }
    }

    private func put(_ fund: Fund) throws {
        try insert(
            "fund", Fund.columns,
            [
                fund.id.value, fund.name, String(decoding: try JSONEncoder().encode(fund.aliases), as: UTF8.self),
                fund.createdAt.column, fund.modifiedAt.column, fund.isFavourite, fund.isArchived,
            ])
    }

    private func put(_ folder: Folder) throws {
        try insert(
            "folder", Folder.columns,
            [
                folder.id.value, folder.fund.value, folder.parent?.value, folder.name, folder.createdAt.column,
                folder.modifiedAt.column,
            ])
    }

    private func put(_ file: File) throws {
        try insert(
            "file", File.columns,
            [
                file.id.value, file.fund.value, file.folder?.value, file.name, file.size, file.contentType,
                file.digest.column, file.createdAt.column, file.modifiedAt.column, file.attachment?.value,
                file.email?.value, file.isFavourite,
                try file.preview.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) },
            ])
    }

    private func put(_ email: EmailSummary) throws {
        try insert(
            "email", EmailSummary.columns,
            [
                email.id.value, email.fund.value, email.subject, email.from, email.sentAt?.column,
                email.receivedAt.column, email.attachmentCount, email.isFavourite,
            ])
    }

    private func put(_ note: Note) throws {
        try insert(
            "note", Note.columns,
            [
                note.id.value, note.fund.value, note.title, note.content, note.createdAt.column,
                note.modifiedAt.column, note.isFavourite,
            ])
    }

    private func insert(_ table: String, _ columns: String, _ values: [(any DatabaseValueConvertible)?]) throws {
        let places = String(repeating: "?, ", count: values.count)
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO \(table) (\(columns), seen) VALUES (\(places)?)")
            .execute(arguments: StatementArguments(values + [round]))
    }
}
