internal import Foundation
internal import GRDB
package import FundCore

extension SQLiteLibraryStore {
    /// More are no properties but a way to store something else.
    private static let maxProperties = 200
    private static let maxPropertyBytes = 65_536

    package func properties(of item: LibraryItemID, of user: User.ID) async throws -> [String: String] {
        try await viewing("read properties", of: user) { view in
            try view.check(item)
            return try Row.fetchAll(
                view.db.cachedStatement(sql: "SELECT name, value FROM property WHERE kind = ? AND item_id = ?"),
                arguments: [item.kind.rawValue, item.number]
            ).reduce(into: [:]) { $0[$1[0] as String] = $1[1] as String }
        }
    }

    package func itemsWithProperties(in place: LibraryPlace, of user: User.ID) async throws -> Set<LibraryItemID> {
        try await viewing("read properties", of: user) { view in
            try view.check(place)
            func having(_ kind: ItemKind, _ table: String, _ parent: String) -> String {
                """
                SELECT \(kind.rawValue), \(table).id FROM fund
                    CROSS JOIN \(table) ON \(table).fund_id = fund.id AND \(ParentFolder.of("\(table).\(parent)")) = ?3
                        AND \(table).deleted_at IS NULL
                WHERE fund.id = ?2 AND fund.owner_id = ?1 AND EXISTS (
                    SELECT 1 FROM property WHERE property.kind = \(kind.rawValue) AND property.item_id = \(table).id)
                """
            }
            return Set(
                try view.fetch(
                    having(.folder, "folder", "parent_id") + " UNION ALL " + having(.file, "file", "folder_id"),
                    [place.fund, place.folder ?? 0]
                ) { try LibraryItemID(column: $0[0], $0[1]) })
        }
    }

    package func properties(
        of items: [LibraryItemID], of user: User.ID
    ) async throws -> [LibraryItemID: [String: String]] {
        guard !items.isEmpty else { return [:] }
        return try await viewing("read properties", of: user) { view in
            let statement = try view.db.cachedStatement(
                sql: "SELECT name, value FROM property WHERE kind = ? AND item_id = ?")
            var found: [LibraryItemID: [String: String]] = [:]
            for item in try view.items(among: items).map(\.itemID) {
                let rows = try Row.fetchAll(statement, arguments: [item.kind.rawValue, item.number])
                if !rows.isEmpty { found[item] = rows.reduce(into: [:]) { $0[$1[0] as String] = $1[1] as String } }
            }
            return found
        }
    }

    package func setProperties(
        _ changes: [String: String?], modifiedAt: Timestamp?, of item: LibraryItemID, if condition: ItemCondition?,
        of user: User.ID
    ) async throws {
        let operation = "set properties"
        try await changing(operation, of: user) { change in
            try change.view.check(item)
            try change.require(condition, of: item, operation)
            if let modifiedAt {
                guard case .file(let file) = item else {
                    throw StoreError(.invalid, operation, "only files have a time")
                }
                try change.execute("UPDATE file SET modified_at = ? WHERE id = ?", [modifiedAt, file])
            }
            for (name, value) in changes {
                let key: [any DatabaseValueConvertible] = [item.kind.rawValue, item.number, name.cleaned]
                try change.execute("DELETE FROM property WHERE kind = ? AND item_id = ? AND name = ?", key)
                guard let value else { continue }
                guard value.utf8.count + name.utf8.count <= Self.maxPropertyBytes else {
                    throw StoreError(.invalid, operation, "a property may have \(Self.maxPropertyBytes) bytes")
                }
                try change.execute(
                    "INSERT INTO property (kind, item_id, name, value) VALUES (?, ?, ?, ?)", key + [value.cleaned])
            }
            let count = try Int.fetchOne(
                change.db, sql: "SELECT count(*) FROM property WHERE kind = ? AND item_id = ?",
                arguments: [item.kind.rawValue, item.number])
            guard count ?? 0 <= Self.maxProperties else {
                throw StoreError(.invalid, operation, "an item may have \(Self.maxProperties) properties")
            }
        }
    }

    package func storageUse(of user: User.ID) async throws -> StorageUse {
        let used = try await viewing("add up what files take", of: user) { view in
            try view.fetch(
                """
                SELECT coalesce(sum(size), 0) FROM blob WHERE id IN (
                    SELECT file.blob_id FROM fund CROSS JOIN file ON file.fund_id = fund.id AND file.deleted_at IS NULL
                        WHERE fund.owner_id = ?1
                    UNION SELECT file.blob_id FROM deletion CROSS JOIN file ON file.id = deletion.item_id
                        WHERE deletion.owner_id = ?1 AND deletion.kind = \(ItemKind.file.rawValue))
                """
            ) { $0[0] as Int64 }.first ?? 0
        }
        return StorageUse(used: used, available: max(0, try await connection.freeBytes()))
    }

    // MARK: Checksums

    package func checksums(of digests: [ContentDigest]) async throws -> [ContentDigest: ContentChecksums] {
        try await connection.reading("read checksums") { db in
            let statement = try db.cachedStatement(
                sql: "SELECT md5, sha1 FROM blob WHERE digest = ? AND md5 IS NOT NULL AND sha1 IS NOT NULL")
            return try digests.reduce(into: [:]) { found, digest in
                guard let row = try Row.fetchOne(statement, arguments: [digest.column]) else { return }
                found[digest] = ContentChecksums(md5: Array(row[0] as Data), sha1: Array(row[1] as Data))
            }
        }
    }

    package func keepChecksums(_ checksums: [ContentDigest: ContentChecksums]) async throws {
        guard !checksums.isEmpty else { return }
        try await connection.writing("keep checksums", on: connection.queues.changes) { db in
            let statement = try db.cachedStatement(sql: "UPDATE blob SET md5 = ?, sha1 = ? WHERE digest = ?")
            for (digest, sums) in checksums {
                try statement.execute(arguments: [Data(sums.md5), Data(sums.sha1), digest.column])
            }
        }
    }
}
