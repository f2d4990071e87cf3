internal import Glibc
import FundCore

/// Mends a damaged database beside whatever else uses the store: indexes are made anew, and rows that cannot be read
/// come back from a backup and from the log.
struct DatabaseRepair {
    private static let draftPrefix = "rebuild"

    let log: StoreLog
    /// The backup that was named; nil for none.
    let named: NamedBackup?
    /// Whether a row is taken as it is where nothing tells if it or its index is right.
    var acceptsRows = false

    private var connection: StoreConnection { log.connection }
    private var location: StoreLocation { connection.location }

    /// Mends the database, and gives what was found and done; nothing for a database that is whole. Throws
    /// `outOfSpace`, `held`, `io`, and as `NamedBackup.database`: then the database is as it was.
    func run() throws -> [VerifyFinding] {
        let problems = try connection.readAroundDamage("check the database") { try $0.integrityProblems() }
        guard !problems.isEmpty else { return [] }
        let backup = try named?.database(for: log)
        // The lock is held from the comparison on: what another process writes in between would be put back, too.
        let (keys, isMended) = try connection.locked("make indexes anew") { db in
            let keys = try ChangedKeys(db, backup: backup, acceptsRows: acceptsRows)
            // Indexes that were made anew would hide what is lost or not decided.
            guard keys.lost.isEmpty else { return (keys, false) }
            let isMended = try db.remakeIndexes(butOf: keys.heldTables, removeRows: keys.removeRows) { db in
                try keys.putBack(db)
                try db.writeAudit(of: remade(problems, keys))
            }
            return (keys, isMended)
        }
        if isMended { return remade(problems, keys) }
        guard keys.undecided.isEmpty else {
            return problems.map { finding(.unrepairable, "\($0.text); nothing was changed") }
                + keys.undecided.map { finding(.unrepairable, $0.description) }
                + keys.lost.map { finding(.unrepairable, "\($0.description): gone, and indexes know them") }
        }
        do { return try rebuild(problems, keys, backup) } catch let refusal as RepairRefusal {
            return problems.map { finding(.unrepairable, "\($0.text); \(refusal.reason)") }
        }
    }

    private func remade(_ problems: [DatabaseProblem], _ keys: ChangedKeys) -> [VerifyFinding] {
        problems.map { problem in
            keys.heldTables.contains(problem.table ?? "")
                ? finding(.unrepairable, "\(problem.text); this was not changed")
                : finding(.rebuilt, "\(problem.text); indexes were made anew")
        } + putBack(keys) + keys.undecided.map { finding(.unrepairable, $0.description) }
    }

    private func putBack(_ keys: ChangedKeys) -> [VerifyFinding] {
        keys.changed.map {
            switch ($0.column, $0.row.table) {
            case (RowWitnesses.existence, "address"):
                finding(
                    .unrepairable,
                    "\($0.description): the address is left out, and mail from there waits at the desk; "
                        + "`fundmail user address add EMAIL ADDRESS` registers it again")
            case (RowWitnesses.existence, _): finding(.restored, "\($0.description); it is gone again")
            default: finding(.restored, "\($0.description); the row had changed, and says so again")
            }
        } + keys.remade.map { finding(.restored, "\($0.row.description) was gone, and its indexes have all of it") }
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String) -> VerifyFinding {
        VerifyFinding(rows: .database, action, text)
    }

    /// Writes the database anew. No process writes meanwhile: the write lock is held from the first row that is read to
    /// the last page. What was done stands in the audit trail of the new database: of a process that is killed before
    /// it could say so nothing is lost.
    private func rebuild(
        _ problems: [DatabaseProblem], _ keys: ChangedKeys, _ backup: String?
    ) throws -> [VerifyFinding] {
        try removeDrafts()
        defer { try? removeDrafts() }
        let draft = "\(location.temporary)/\(DiskDirectory.uniqueName(prefix: Self.draftPrefix))"
        close(try DiskFile.open(draft, owner: connection.owner))
        var findings: [VerifyFinding] = []
        try connection.locked("write the database anew") { live in
            // Also when the disk gets full: it has the pages that were to come into the database.
            defer { connection.truncateWAL(live) }
            connection.truncateWAL(live)
            try SoundDatabase.run(of: location.database, backup: backup, at: draft, without: keys.lost) { rebuild in
                // There no trigger takes it for a change of today.
                try keys.removeRows(rebuild.db)
                try keys.putBack(rebuild.db)
                let recovery = RowRecovery(log: log, db: rebuild.db, hasBackup: backup != nil)
                return try recovery.run(&rebuild)
            } install: { rebuilt, recovered in
                let kept = try keepDamaged()
                do {
                    let strays = try StrayItems(db: rebuilt).settle()
                    findings = problems.map { finding(.rebuilt, "\($0.text); the database was written anew") }
                    findings += putBack(keys)
                    findings += recovered.map { finding($0.isWhole ? .restored : .unrepairable, $0.text) }
                    findings += strays.map { finding(.unrepairable, $0) }
                    findings.append(finding(.restored, "the damaged database is kept as \(kept)"))
                    try rebuilt.writeAudit(of: findings)
                    try rebuilt.replace(live)
                } catch {
                    unlink(location.path(kept))
                    throw error
                }
            }
        }
        return findings
    }

    /// Removes drafts, also those of a process that was killed.
    private func removeDrafts() throws {
        for name in try DiskDirectory.names(in: location.temporary) where name.hasPrefix(Self.draftPrefix + "-") {
            unlink("\(location.temporary)/\(name)")
        }
    }

    /// Keeps a copy in `lost/`, and gives its path in the store. Nothing of what was there is thrown away.
    private func keepDamaged() throws -> String {
        try DiskDirectory.make(location.lost, isPrivate: true, owner: connection.owner)
        let name = "\(StoreLocation.lostName)/\(DiskDirectory.uniqueName(prefix: StoreLocation.databaseName))"
        try DiskFile.copy(location.database, to: location.path(name), owner: connection.owner)
        return name
    }
}
