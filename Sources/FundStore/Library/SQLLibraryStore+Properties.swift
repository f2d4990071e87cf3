internal import Foundation
package import FundCore

extension SQLLibraryStore {
    /// Limit of properties of an item; more are a way to store something else.
    private static let maxProperties = 200
    private static let maxPropertyBytes = 65_536

    package func properties(of item: LibraryItemID, of user: User.ID) async throws -> [String: String] {
        try await viewing("read properties", of: user) { view in
            try view.check(item)
            return try view.properties(of: item)
        }
    }

    package func itemsWithProperties(in place: LibraryPlace, of user: User.ID) async throws -> Set<LibraryItemID> {
        try await viewing("read properties", of: user) { view in
            try view.check(place)
            let having = [ItemKind.folder, .file].map { kind in
                let table = kind.table
                return """
                    SELECT \(kind.rawValue), \(table).id FROM fund
                        \(SQL.thenJoin) \(table) ON \(table).fund_id = fund.id AND \(kind.parent) = ?3
                            AND \(table).deleted_at IS NULL
                    WHERE fund.id = ?2 AND \(LibraryView.visible(as: "?1"))
                        AND EXISTS (SELECT 1 FROM property WHERE kind = \(kind.rawValue) AND item_id = \(table).id)
                    """
            }
            return Set(try view.fetch(having.joined(separator: " UNION ALL "), place.arguments) { try $0.item(0) })
        }
    }

    package func properties(
        of items: [LibraryItemID], of user: User.ID
    ) async throws -> [LibraryItemID: [String: String]] {
        guard !items.isEmpty else { return [:] }
        return try await viewing("read properties", of: user) { view in
            try view.items(among: items).map(\.itemID).reduce(into: [:]) { found, item in
                let properties = try view.properties(of: item)
                if !properties.isEmpty { found[item] = properties }
            }
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
                try change.db.execute("UPDATE file SET modified_at = ? WHERE id = ?", [modifiedAt, file])
            }
            for (name, value) in changes {
                let key: SQLArguments = [item.kind.rawValue, item.number, name]
                try change.db.execute("DELETE FROM property WHERE kind = ? AND item_id = ? AND name = ?", key)
                guard let value else { continue }
                guard value.utf8.count + name.utf8.count <= Self.maxPropertyBytes else {
                    throw StoreError(.invalid, operation, "a property may have \(Self.maxPropertyBytes) bytes")
                }
                try change.db.execute(
                    "INSERT INTO property (kind, item_id, name, value) VALUES (?, ?, ?, ?)", key + [value])
            }
            let count: Int? = try change.db.value(
                "SELECT count(*) FROM property WHERE kind = ? AND item_id = ?", item.arguments)
            guard count ?? 0 <= Self.maxProperties else {
                throw StoreError(.invalid, operation, "an item may have \(Self.maxProperties) properties")
            }
        }
    }

    package func storageUse(of user: User.ID) async throws -> StorageUse {
        let limits = connection.storageLimits
        var use = try await viewing("add up what files take", of: user) { view in
            try StorageRoom.use(by: user, limits, view.db)
        }
        use.available = min(use.available, max(0, try await connection.freeBytes()))
        return use
    }

    // MARK: Checksums

    package func checksums(of digests: [ContentDigest]) async throws -> [ContentDigest: ContentChecksums] {
        try await connection.reading("read checksums") { db in
            try digests.reduce(into: [:]) { found, digest in
                let row = try db.row(
                    "SELECT md5, sha1 FROM blob WHERE digest = ? AND md5 IS NOT NULL AND sha1 IS NOT NULL", [digest])
                guard let row else { return }
                found[digest] = ContentChecksums(md5: Array(row[0] as Data), sha1: Array(row[1] as Data))
            }
        }
    }

    package func keepChecksums(_ checksums: [ContentDigest: ContentChecksums]) async throws {
        guard !checksums.isEmpty else { return }
        try await connection.writing("keep checksums", on: connection.queues.changes) { db in
            for (digest, sums) in checksums {
                try db.execute(
                    "UPDATE blob SET md5 = ?, sha1 = ? WHERE digest = ?", [Data(sums.md5), Data(sums.sha1), digest])
            }
        }
    }
}

extension LibraryView {
    fileprivate func properties(of item: LibraryItemID) throws -> [String: String] {
        try db.rows(
            "SELECT name, value FROM property WHERE kind = ? AND item_id = ?", item.arguments
        ).reduce(into: [:]) { $0[$1[0] as String] = $1[1] as String }
    }
}
