internal import Glibc
package import FundCore

/// Checks, repairs, retention, space and the search index.
package struct StoreMaintenance: Sendable {
    let connection: StoreConnection
    let log: StoreLog
    package let index: SearchIndex
    let purge: Purge
    let quarantine: Quarantine

    /// Compares rows and log by hash. With a parser it also repairs: blobs are derived from their raw messages again
    /// where those hold them in another form, segments that stand elsewhere are put back, and files among the segments
    /// that no row knows are moved to `lost/`. Throws only when the check itself cannot go on.
    ///
    /// - Parameters:
    ///   - backup: the folder of a backup, or the database in it, from which rows come that cannot be read or are not
    ///     what was written. Throws as `NamedBackup`; then nothing was changed.
    ///   - acceptsRows: rows that are not what was written are taken as they are, after a person has looked at them.
    package func verify(
        repairing parser: (any MessageParser)? = nil, from backup: String? = nil, acceptsRows: Bool = false,
        limits: ParseLimits = ParseLimits(), onProgress: @escaping @Sendable (VerifyProgress) -> Void = { _ in }
    ) async throws -> VerifyReport {
        var repaired: [VerifyFinding] = []
        if let parser {
            repaired = try await repairDatabase(from: backup, acceptsRows: acceptsRows)
            repaired += try await readMailAgain(parser: parser, limits: limits)
        }
        let isRepairing = parser != nil
        let (found, broken) = try await connection.running("verify the store") { [log] in
            var check = StoreCheck(log: log, isRepairing: isRepairing, onProgress: onProgress)
            return try check.run()
        }
        var report = found
        // Damage that could not be mended is found again.
        let isRefused = repaired.leftDatabaseDamaged
        report.findings = repaired + found.findings.filter { !isRefused || $0.kind != .database }
        guard let parser, !broken.isEmpty else { return report }
        report.findings += try await rederive(broken, parser: parser, limits: limits)
        return report
    }

    /// The first part of a repair by `verify`, with the same arguments: what else reads rows to mend something comes
    /// after it. Gives what was found and done.
    package func repairDatabase(from backup: String?, acceptsRows: Bool) async throws -> [VerifyFinding] {
        let operation = "repair the database"
        return try await connection.running(operation) { [self] in
            try StorePlaces.requireRowsInFolder(
                connection.location, operation,
                instead: "`fundmail verify` says what is damaged, and the server's own backup has the rows")
            return try mendDatabase(from: backup, acceptsRows: acceptsRows)
        }
    }

    /// Mends the database, and puts segments back by its rows.
    private func mendDatabase(from backup: String?, acceptsRows: Bool) throws -> [VerifyFinding] {
        let named = try backup.map(NamedBackup.init)
        let mended = try DatabaseRepair(log: log, named: named, acceptsRows: acceptsRows).run()
        return try mended + RowRepair(log: log, named: named, accepts: acceptsRows).run()
            // Nothing is moved by rows that contradict their indexes.
            + (mended.leftDatabaseDamaged
                ? []
                : mendMembers() + StrayItems.repair(connection) + mendFundKeys()
                    + LooseReferences.repair(connection)
                    + mendFundUse(isExpected: !mended.isEmpty))
            + MisplacedSegments(log: log).putBack()
    }

    /// Makes the memberships of owners anew, by which people see their funds.
    private func mendMembers() throws -> [VerifyFinding] {
        try connection.mend("mend the owners among members", if: { try !FundMembers.wrong($0).isEmpty }) { db in
            guard try FundMembers.mend(db) else { return [] }
            let mended = [
                VerifyFinding(
                    rows: .library, .settled,
                    "funds had another owner among their members; the memberships of owners were made anew")
            ]
            try db.writeAudit(of: mended)
            return mended
        }
    }

    /// Counts anew what funds hold, by which people's limits are kept.
    /// - Parameter isExpected: whether rows of files were mended just now, which leaves the counts behind.
    private func mendFundUse(isExpected: Bool) throws -> [VerifyFinding] {
        try connection.mend("count what funds hold", if: { try !FundUse.wrong($0).isEmpty }) { db in
            try FundUse.complete(db)
            guard !isExpected else { return [] }
            let mended = [
                VerifyFinding(
                    rows: .library, .settled, "funds counted other bytes than their files have; they were counted anew")
            ]
            try db.writeAudit(of: mended)
            return mended
        }
    }

    /// Makes the keys anew by which tags find funds.
    private func mendFundKeys() throws -> [VerifyFinding] {
        try connection.mend("mend the names of funds", if: { try !FundKeys.wrong($0).isEmpty }) { db in
            guard try FundKeys.mend(db) else { return [] }
            let mended = [
                VerifyFinding(
                    rows: .library, .settled,
                    "funds were found under other names than their own; the keys were made anew")
            ]
            try db.writeAudit(of: mended)
            return mended
        }
    }

    /// Copies the store into `directory` (made if needed), beside whatever else uses it; see `StoreBackup`. Throws
    /// `conflict` for a backup that has what this store has not. `onProgress`: bytes of the log.
    package func backUp(
        to directory: String, _ options: BackupOptions = BackupOptions(),
        onProgress: @escaping @Sendable (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
    ) async throws -> BackupReport {
        try await connection.running("back the store up to \(directory)") { [log] in
            var backup = StoreBackup(of: log, to: directory, options, onProgress: onProgress)
            return try backup.run()
        }
    }

    /// Copies the log alone, of a store whose database cannot be opened; `problem` says why. Throws as `backUp`.
    package static func backUpLog(
        of path: String, to directory: String, without problem: StoreError
    ) throws -> BackupReport {
        try StoreError.wrapping("back the log up to \(directory)") {
            try LogBackup.run(of: StoreLocation(root: path), to: directory, without: problem)
        }
    }

    /// Writes the files of a fund into `directory` (made if needed), under their display names. What is there is never
    /// overwritten: the same content is left, other content gets a number. What is quarantined is left out. Throws
    /// `notFound`, `invalid` for a place inside the store, `outOfSpace`, `io`.
    package func export(fund: Fund.ID, to directory: String) async throws -> ExportReport {
        try await connection.running("export a fund to \(directory)") { [log, quarantine] in
            try FundExport(log: log, fund: fund, quarantine: quarantine).run(to: directory)
        }
    }

    /// Drops raw messages of mail that was filed more than `rawDays` ago, nil none.
    package func applyRetention(rawDays: Int?) async throws -> RetentionReport {
        guard let rawDays else { return RetentionReport() }
        guard rawDays >= 0 else { throw StoreError(.invalid, "apply retention", "\(rawDays) days is no age") }
        return try await connection.queues.shared.run { [self] in
            let limit = Timestamp.now - .seconds(rawDays * 86_400)
            let dropped = try connection.write("apply retention", .reserve) { db in
                try RawRetention(db: db, now: .now).drop(filedBefore: limit, days: rawDays)
            }
            if dropped.rawMessages > 0 {
                try log.reclaim()
                try connection.giveBackSpace()
            }
            return dropped
        }
    }
}
