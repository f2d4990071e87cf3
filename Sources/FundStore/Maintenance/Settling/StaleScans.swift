import FundCore

/// Settles what is known of malware when rows of `quarantine` could not be read. Those of a backup may be of before it
/// was found, and an administrator may have released a content before other malware was found in it. The audit trail
/// and the verdicts in the cache of previews say what was found and released since; of every other content it is not
/// known any more what a scanner said, so that it counts as not scanned.
struct StaleScans {
    let db: Database
    let losses: [TableLoss]
    /// Path of the database of the cache of previews.
    let cache: String

    /// Gives what is to be said; nil where no scans were lost. To be called before other rows are derived of these.
    func settle() throws -> RepairNote? {
        guard losses.concern("quarantine") else { return nil }
        try followAudit()
        if !hasAudit { try takeReleasesBack() }
        try holdInfected()
        try ScanLoss.begin(db)
        let held: Int = try db.value("SELECT count(*) FROM main.quarantine WHERE released_at IS NULL") ?? 0
        return RepairNote(
            "rows of quarantine could not be read: \(held) contents are held by the backup, the audit trail and "
                + "the last verdicts, and all others count as not scanned. `serve` has them scanned again where "
                + "`scan: {clamd: …}` is set, and gives none before that with `unscanned: hold`; without a scanner "
                + "they are given")
    }

    /// Whether the audit trail has all that was done.
    private var hasAudit: Bool { !losses.concern("audit") }

    /// Nothing proves that a release is later than what was found.
    private func takeReleasesBack() throws {
        try db.execute("DELETE FROM main.quarantine WHERE released_at IS NOT NULL AND malware = ?", [unscanned])
        try db.execute("UPDATE main.quarantine SET released_at = NULL, released_by = NULL")
    }

    private var unscanned: String { SQLQuarantineStore.unscanned }

    /// Makes each row what the last entry about its content says. Where entries are missing, none gives anything free.
    private func followAudit() throws {
        let entries = try db.rows(
            """
            SELECT subject, action, detail, at, actor FROM main.audit WHERE id IN (
                SELECT max(id) FROM main.audit
                WHERE action IN ('\(AuditAction.blobQuarantined.rawValue)', '\(AuditAction.blobCleared.rawValue)',
                    '\(AuditAction.blobReleased.rawValue)') GROUP BY subject)
            """
        ) {
            (
                content: ContentDigest(hex: $0[0]), action: AuditAction(rawValue: $0[1]), malware: $0[2] as String,
                at: $0[3] as Timestamp, actor: $0[4] as String
            )
        }
        for entry in entries {
            guard let content = entry.content, hasAudit || entry.action == .blobQuarantined else { continue }
            guard entry.action != .blobCleared else {
                try db.execute("DELETE FROM main.quarantine WHERE digest = ? AND released_at IS NULL", [content])
                continue
            }
            let isReleased = entry.action == .blobReleased
            try db.execute(
                """
                INSERT INTO main.quarantine (digest, malware, found_at, released_at, released_by)
                VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO UPDATE SET
                    malware = excluded.malware, released_at = excluded.released_at, released_by = excluded.released_by
                """,
                [content, entry.malware, entry.at, isReleased ? entry.at : nil, isReleased ? entry.actor : nil])
        }
    }

    /// Holds what the scanner last called infected. The cache may be damaged, and is not needed.
    private func holdInfected() throws {
        guard DiskFile.size(of: cache) != nil else { return }
        let sql = "SELECT digest, malware, at FROM verdict WHERE verdict = ?"
        let infected = try? DatabaseFile.read(cache) { cache in
            try cache.rows(sql, [Verdict.infected(name: "").word]) {
                (content: try $0.digest(0), malware: $0[1] as String?, at: $0[2] as Timestamp)
            }
        }
        for found in infected ?? [] {
            try db.execute(
                "INSERT INTO main.quarantine (digest, malware, found_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [found.content, found.malware ?? "", found.at])
        }
    }
}
