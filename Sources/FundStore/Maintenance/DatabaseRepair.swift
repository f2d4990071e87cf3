internal import Glibc
import FundCore

/// Mends a damaged database beside whatever else uses the store: indexes are made anew, and rows that cannot be read
/// come back from a backup and from the log.
struct DatabaseRepair {
    /// Why nothing was changed, in words for people.
    struct Refusal: Error {
        var reason: String
    }

    private static let draftPrefix = "rebuild"

    let log: StoreLog
    /// The backup that was named; nil for none.
    let named: NamedBackup?
    /// Whether a row is taken as it is where nothing tells if it or its index is right.
    var acceptsRows = false

    private var connection: StoreConnection { log.connection }
    private var layout: StoreLayout { connection.layout }

    /// Mends the database, and gives what was found and done; nothing for a database that is whole. Throws
    /// `outOfSpace`, `held`, `io`, and as `NamedBackup.database`: then the database is as it was.
    func run() throws -> [VerifyFinding] {
        let problems = try connection.readAroundDamage("check the database") { try $0.integrityProblems() }
        guard !problems.isEmpty else { return [] }
        let backup = try named?.database(for: log)
        // The lock is held from the comparison on: what another process writes in between would be put back, too.
        let (keys, isMended) = try connection.locked("make indexes anew") { db in
            let keys = try ChangedKeys(db, backup: backup, acceptsRows: acceptsRows)
            guard keys.undecided.isEmpty else { return (keys, false) }
            let isMended = try db.remakeIndexes { db in
                try keys.putBack(db)
                try db.writeAudit(of: remade(problems, keys))
            }
            return (keys, isMended)
        }
        guard keys.undecided.isEmpty else {
            // Indexes that were made anew would hide it.
            return problems.map { finding(.unrepairable, "\($0.text); nothing was changed") }
                + keys.undecided.map { finding(.unrepairable, $0.description) }
        }
        if isMended { return remade(problems, keys) }
        do { return try rebuild(problems, backup) } catch let refusal as Refusal {
            return problems.map { finding(.unrepairable, "\($0.text); \(refusal.reason)") }
        }
    }

    private func remade(_ problems: [DatabaseProblem], _ keys: ChangedKeys) -> [VerifyFinding] {
        problems.map { finding(.rebuilt, "\($0.text); indexes were made anew") }
            + keys.changed.map { finding(.restored, "\($0.description); the row had changed, and says so again") }
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String) -> VerifyFinding {
        VerifyFinding(kind: .database, path: "fundmail.sqlite", digest: nil, action: action, detail: text)
    }

    /// Writes the database anew. No process writes meanwhile: the write lock is held from the first row that is read to
    /// the last page. What was done stands in the audit trail of the new database: of a process that is killed before it
    /// could say so nothing is lost.
    private func rebuild(_ problems: [DatabaseProblem], _ backup: String?) throws -> [VerifyFinding] {
        try removeDrafts()
        defer { try? removeDrafts() }
        let draft = "\(layout.temporary)/\(SpoolDirectory.uniqueName(prefix: Self.draftPrefix))"
        close(try StoreLayout.open(draft, owner: connection.owner))
        var findings: [VerifyFinding] = []
        try connection.locked("write the database anew") { live in
            // Also when the disk gets full: it has the pages that were to come into the database.
            defer { connection.truncateLog(live) }
            connection.truncateLog(live)
            try SoundDatabase.run(of: layout.database, backup: backup, at: draft) { rebuild in
                let recovery = RowRecovery(log: log, db: rebuild.db, hasBackup: backup != nil)
                return try recovery.run(&rebuild)
            } install: { rebuilt, recovered in
                let kept = try keepDamaged()
                do {
                    let strays = try StrayItems(db: rebuilt).settle()
                    findings = problems.map { finding(.rebuilt, "\($0.text); the database was written anew") }
                    findings += recovered.map { finding($0.isWhole ? .restored : .unrepairable, $0.text) }
                    findings += strays.map { finding(.unrepairable, $0) }
                    findings.append(finding(.restored, "the damaged database is kept as \(kept)"))
                    try rebuilt.writeAudit(of: findings)
                    try rebuilt.replace(live)
                } catch {
                    unlink("\(layout.root)/\(kept)")
                    throw error
                }
            }
        }
        return findings
    }

    /// Removes drafts, also those of a process that was killed.
    private func removeDrafts() throws {
        for name in try DiskDirectory.names(in: layout.temporary) where name.hasPrefix(Self.draftPrefix + "-") {
            unlink("\(layout.temporary)/\(name)")
        }
    }

    /// Keeps a copy in `lost/`, and gives its path in the store. Nothing of what was there is thrown away.
    private func keepDamaged() throws -> String {
        try DiskDirectory.make(layout.lost, isPrivate: true, owner: connection.owner)
        let name = "lost/\(SpoolDirectory.uniqueName(prefix: "fundmail.sqlite"))"
        let path = "\(layout.root)/\(name)"
        let descriptor = try StoreLayout.open(path, owner: connection.owner)
        defer { close(descriptor) }
        do {
            try FileBytes.read(layout.database) { try SpoolWriter.writeAll($0, to: descriptor, path: path) }
            guard fsync(descriptor) == 0 else { throw SpoolError("sync", path) }
        } catch {
            unlink(path)
            throw error
        }
        return name
    }
}
