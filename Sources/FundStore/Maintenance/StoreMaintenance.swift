internal import Glibc
package import FundCore

/// Checks, repairs, retention, space and the search index.
package struct StoreMaintenance: Sendable {
    let connection: StoreConnection
    let files: StoreFiles
    package let index: SearchIndex
    let purge: Purge

    /// Compares rows, raw messages and blobs by hash. With a parser it also repairs: blobs are derived from their raw
    /// messages again, orphan blobs removed, orphan raw messages moved to `lost/`: a crash may have left one between
    /// its rename and its row, and although its source still has it, bytes that may exist nowhere else are not deleted.
    /// Nothing else may take in mail meanwhile: the caller holds the run lock. Throws only when the check itself cannot
    /// go on.
    package func verify(
        repairing parser: (any MessageParser)? = nil, limits: ParseLimits = ParseLimits(),
        onProgress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
    ) async throws -> VerifyReport {
        let isRepairing = parser != nil
        let (report, broken) = try await connection.queues.shared.run { [self] in
            try StoreError.wrapping("verify the store") {
                var check = StoreCheck(
                    connection: connection, files: files, isRepairing: isRepairing, onProgress: onProgress)
                return try check.run()
            }
        }
        guard let parser, !broken.isEmpty else { return report }
        var repaired = report
        repaired.findings += try await rederive(broken, parser: parser, limits: limits)
        return repaired
    }

    /// Writes the files of a fund into `directory` (made if needed), under their display names. What is there is never
    /// overwritten: the same content is left, other content gets a number. Throws `notFound`, `invalid` for a place
    /// inside the store, `outOfSpace`, `io`.
    package func export(fund: Fund.ID, to directory: String) async throws -> ExportReport {
        try await connection.queues.shared.run { [self] in
            try StoreError.wrapping("export a fund to \(directory)") {
                try FundExport(connection: connection, fund: fund).run(to: directory)
            }
        }
    }

    /// Drops raw messages of mail that was filed more than `rawDays` ago, nil none. The caller holds the run lock.
    package func applyRetention(rawDays: Int?) async throws -> RetentionReport {
        guard let rawDays else { return RetentionReport() }
        guard rawDays >= 0 else { throw StoreError(.invalid, "apply retention", "\(rawDays) days is no age") }
        return try await connection.queues.shared.run { [self] in
            let limit = Timestamp.now - .seconds(rawDays * 86_400)
            // The rows first: a crash in between leaves files without need, never a need without file.
            let dropped = try connection.write("apply retention", .reserve) { db in
                let rows = try db.rows(
                    """
                    UPDATE message SET raw_dropped_at = ? WHERE id IN (
                        SELECT message_id FROM email WHERE received_at < ?)
                        AND outcome = 'filed' AND raw_dropped_at IS NULL RETURNING digest, size
                    """, [Timestamp.now, limit])
                let bytes = rows.reduce(0) { $0 + ($1[1] as Int64) }
                if !rows.isEmpty {
                    try db.writeAudit(
                        "retention", of: "raw messages", "\(rows.count) older than \(rawDays) days", by: "fundmail")
                }
                return (digests: try rows.map { try $0.digest(0) }, bytes: bytes)
            }
            for digest in dropped.digests { unlink(files.layout.raw(digest)) }
            if !dropped.digests.isEmpty { try connection.giveBackSpace() }
            return RetentionReport(rawFilesDropped: dropped.digests.count, bytes: dropped.bytes)
        }
    }
}
