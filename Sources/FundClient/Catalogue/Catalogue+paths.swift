internal import Foundation
internal import GRDB

extension Catalogue {
    /// The place at a path of names, as `["Fund1", "2025", "Q3"]`: a fund, then folders. Nil where there is none.
    public func place(at path: [String]) async throws(ClientError) -> Place? {
        guard let name = path.first, let fund = try await fund(named: name) else { return nil }
        var (place, parent) = (Place.fund(fund.id), FolderID?.none)
        for name in path.dropFirst() {
            let above = parent
            let found = try await database.read { db in
                try Int64.fetchOne(
                    db, sql: "SELECT id FROM folder WHERE fund = ? AND parent IS ? AND name = ?",
                    arguments: [fund.id.value, above?.value, name]
                ).map { FolderID($0) }
            }
            guard let found else { return nil }
            (place, parent) = (.folder(found), found)
        }
        return place
    }

    /// The file at a path of names: a fund, folders, a file. Nil where there is none.
    public func file(at path: [String]) async throws(ClientError) -> File? {
        guard path.count > 1, let name = path.last, let place = try await place(at: path.dropLast()) else { return nil }
        return try await database.read { db in
            let (condition, argument) = Self.condition(place, parent: "folder")
            return try Row.fetchOne(
                db, sql: "SELECT \(File.columns) FROM file WHERE \(condition) AND name = ?",
                arguments: [argument, name]
            ).map { try File(row: $0) }
        }
    }

    /// The names that lead to a file: its fund, its folders, itself. Nil where it, or one of them, is not known.
    public func path(of file: File) async throws(ClientError) -> [String]? {
        try await database.read { db in
            var (names, next) = ([file.name], file.folder)
            while let id = next {
                // A cycle cannot be on the server; here two pages may make one for a moment.
                guard names.count < 200,
                    let row = try Row.fetchOne(
                        db, sql: "SELECT name, parent FROM folder WHERE id = ?", arguments: [id.value])
                else { return nil }
                names.append(row["name"])
                next = row.optionalID("parent")
            }
            let fund = try String.fetchOne(db, sql: "SELECT name FROM fund WHERE id = ?", arguments: [file.fund.value])
            return fund.map { [$0] + names.reversed() }
        }
    }

    private func fund(named name: String) async throws(ClientError) -> Fund? {
        try await database.read { db in
            try Row.fetchOne(
                db, sql: "SELECT \(Fund.columns) FROM fund WHERE name = ? ORDER BY is_archived", arguments: [name]
            ).map { try Fund(row: $0) }
        }
    }
}
