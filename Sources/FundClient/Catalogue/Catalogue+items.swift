public import Foundation
internal import GRDB

/// Lists come in pages, by name; the last name of a page leads to the next one.
extension Catalogue {
    /// Funds by name, without those in the archive unless they are asked for.
    public func funds(archived: Bool = false) async throws(ClientError) -> [Fund] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT \(Fund.columns) FROM fund WHERE is_archived <= ? ORDER BY name", arguments: [archived]
            ).map { try Fund(row: $0) }
        }
    }

    /// Nil where there is none.
    public func fund(_ id: FundID) async throws(ClientError) -> Fund? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT \(Fund.columns) FROM fund WHERE id = ?", arguments: [id.value])
                .map { try Fund(row: $0) }
        }
    }

    /// Nil where there is none.
    public func folder(_ id: FolderID) async throws(ClientError) -> Folder? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT \(Folder.columns) FROM folder WHERE id = ?", arguments: [id.value])
                .map { Folder(row: $0) }
        }
    }

    /// Nil where there is none.
    public func file(_ id: FileID) async throws(ClientError) -> File? {
        try await database.read { db in
            try Row.fetchOne(db, sql: "SELECT \(File.columns) FROM file WHERE id = ?", arguments: [id.value])
                .map { try File(row: $0) }
        }
    }

    /// Folders of a place, in the order of their names.
    public func folders(
        of place: Place, after name: String? = nil, limit: Int = 500
    ) async throws(ClientError) -> [Folder] {
        try await database.read { db in
            let (condition, argument) = Self.condition(place, parent: "parent")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(Folder.columns) FROM folder WHERE \(condition) AND name > ? ORDER BY name LIMIT ?
                    """, arguments: [argument, name ?? "", limit]
            ).map { Folder(row: $0) }
        }
    }

    /// Files of a place, in the order of their names.
    public func files(
        of place: Place, after name: String? = nil, limit: Int = 500
    ) async throws(ClientError) -> [File] {
        try await database.read { db in
            let (condition, argument) = Self.condition(place, parent: "folder")
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT \(File.columns) FROM file WHERE \(condition) AND name > ? ORDER BY name LIMIT ?
                    """, arguments: [argument, name ?? "", limit]
            ).map { try File(row: $0) }
        }
    }

    /// All folders and files of a place, folders first.
    public func items(of place: Place) async throws(ClientError) -> [Item] {
        try await folders(of: place, limit: .max).map(Item.folder) + files(of: place, limit: .max).map(Item.file)
    }

    /// Newest first.
    /// - Parameter time: those that came before then; nil for the newest.
    public func emails(
        of fund: FundID, before time: Date? = nil, limit: Int = 500
    ) async throws(ClientError) -> [EmailSummary] {
        try await database.read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT \(EmailSummary.columns) FROM email WHERE fund = ? AND received_at < ?
                    ORDER BY received_at DESC, id DESC LIMIT ?
                    """, arguments: [fund.value, time?.column ?? Int64.max, limit]
            ).map { EmailSummary(row: $0) }
        }
    }

    /// Notes of a fund, the last changed first.
    public func notes(of fund: FundID) async throws(ClientError) -> [Note] {
        try await database.read { db in
            try Row.fetchAll(
                db, sql: "SELECT \(Note.columns) FROM note WHERE fund = ? ORDER BY modified_at DESC, id DESC",
                arguments: [fund.value]
            ).map { Note(row: $0) }
        }
    }

    static func condition(_ place: Place, parent: String) -> (String, Int64) {
        switch place {
        case .fund(let id): ("fund = ? AND \(parent) IS NULL", id.value)
        // The fund comes first in the index; a folder lies in one.
        case .folder(let id): ("fund = (SELECT fund FROM folder WHERE id = ?1) AND \(parent) = ?1", id.value)
        }
    }
}
