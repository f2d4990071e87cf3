import FundCore

/// Rows of blobs within one write transaction.
struct BlobRows {
    typealias ID = FundCore.ID<BlobRows>

    let db: Database
    let layout: StoreLayout

    static func isKnown(_ digest: ContentDigest, _ db: Database) throws -> Bool {
        try db.value("SELECT EXISTS (SELECT 1 FROM blob WHERE digest = ?)", [digest]) ?? false
    }

    /// Makes the row when there is none. Then the bytes must stand in their place: a purge may have taken away row and
    /// bytes since they were looked for. Throws `stale`: everything must be written anew.
    func id(of digest: ContentDigest, size: Int64) throws -> ID {
        if let id: ID = try db.value("SELECT id FROM blob WHERE digest = ?", [digest]) { return id }
        guard StoreLayout.size(of: layout.blob(digest)) == size else {
            throw StoreError(.stale, "store a blob", "its bytes were removed meanwhile")
        }
        return try db.insert("INSERT INTO blob (digest, size) VALUES (?, ?)", [digest, size])
    }

    /// Removes the rows of those to which no file and no attachment refers any more. Their bytes are to be removed when
    /// that is durable, before any other process may write.
    func dropUnused(_ ids: some Sequence<ID>) throws -> [(digest: ContentDigest, size: Int64)] {
        try ids.compactMap { id in
            try db.row(
                """
                DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE blob_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM attachment WHERE blob_id = ?1) RETURNING digest, size
                """, [id]
            ).map { (try $0.digest(0), $0[1]) }
        }
    }
}
