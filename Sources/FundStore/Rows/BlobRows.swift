internal import GRDB
import FundCore

/// Rows of blobs within one write transaction.
struct BlobRows {
    let db: Database
    let layout: StoreLayout

    static func isKnown(_ digest: ContentDigest, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM blob WHERE digest = ?)"), arguments: [digest.column])
            ?? false
    }

    /// Makes the row when there is none. Then the bytes must stand in their place: a purge may have taken away row and
    /// bytes since they were looked for. Throws `stale`: everything must be written anew.
    func id(of digest: ContentDigest, size: Int64) throws -> Int64 {
        let key = digest.column
        if let id = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT id FROM blob WHERE digest = ?"), arguments: [key])
        {
            return id
        }
        guard StoreLayout.size(of: layout.blob(digest)) == size else {
            throw StoreError(.stale, "store a blob", "its bytes were removed meanwhile")
        }
        try db.cachedStatement(sql: "INSERT INTO blob (digest, size) VALUES (?, ?)").execute(arguments: [key, size])
        return db.lastInsertedRowID
    }
}
