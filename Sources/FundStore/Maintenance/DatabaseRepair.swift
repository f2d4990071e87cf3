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
    /// The database of a backup; nil for none.
    let backup: String?
    /// Whether a row is taken as it is where nothing tells if it or its index is right.
    var acceptsRows = false

    private var connection: StoreConnection { log.connection }
    private var layout: StoreLayout { connection.layout }

    /// The database in the folder of a backup, or the file itself. Throws `notFound`.
    static func database(of path: String) throws -> String {
        for path in [StoreLayout(root: path).database, path] where StoreLayout.size(of: path) ?? 0 > 0 { return path }
        throw StoreError(.notFound, "read the backup", "there is no fundmail.sqlite in \(path)")
    }

    /// Mends the database, and gives what was found and done; nothing for a database that is whole. Throws
    /// `outOfSpace`, `held`, `io`: then the database is as it was.
    func run() throws -> [VerifyFinding] {
        let problems = try connection.readAroundDamage("check the database") { try $0.integrityProblems() }
        guard !problems.isEmpty else { return [] }
        // The lock is held from the comparison on: what another process writes in between would be put back, too.
        let (keys, isMended) = try connection.locked("make indexes anew") { db in
            let keys = try ChangedKeys(db, backup: backup, acceptsRows: acceptsRows)
            return (keys, try keys.undecided.isEmpty && db.remakeIndexes(keys.putBack))
        }
        guard keys.undecided.isEmpty else {
            // Indexes that were made anew would hide it.
            return problems.map { finding(.unrepairable, "\($0.text); nothing was changed") }
                + keys.undecided.map { finding(.unrepairable, $0.description) }
        }
        if isMended {
            return problems.map { finding(.rebuilt, "\($0.text); indexes were made anew") }
                + keys.changed.map { finding(.restored, "\($0.description); the row had changed, and says so again") }
        }
        do {
            let recovered = try rebuild()
            return problems.map { finding(.rebuilt, "\($0.text); the database was written anew") } + recovered
        } catch let refusal as Refusal {
            return problems.map { finding(.unrepairable, "\($0.text); \(refusal.reason)") }
        }
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String) -> VerifyFinding {
        VerifyFinding(kind: .database, path: "fundmail.sqlite", digest: nil, action: action, detail: text)
    }

    /// Writes the database anew. No process writes meanwhile: the write lock is held from the first row that is read to
    /// the last page.
    private func rebuild() throws -> [VerifyFinding] {
        try removeDrafts()
        defer { try? removeDrafts() }
        let draft = "\(layout.temporary)/\(SpoolDirectory.uniqueName(prefix: Self.draftPrefix))"
        close(try StoreLayout.open(draft, owner: connection.owner))
        var findings: [VerifyFinding] = []
        try connection.locked("write the database anew") { live in
            connection.truncateLog(live)
            try SoundDatabase.run(of: layout.database, backup: backup, at: draft) { rebuild in
                let recovery = RowRecovery(log: log, db: rebuild.db, hasBackup: backup != nil)
                return try recovery.run(&rebuild)
            } install: { rebuilt, recovered in
                let kept = try keepDamaged()
                let strays = try StrayItems(db: rebuilt).settle()
                try rebuilt.replace(live)
                findings = recovered.map { finding($0.isWhole ? .restored : .unrepairable, $0.text) }
                findings += strays.map { finding(.unrepairable, $0) }
                findings.append(finding(.restored, "the damaged database is kept as \(kept)"))
            }
            connection.truncateLog(live)
        }
        try connection.write("note a repair", .reserve) { db in
            try db.writeAudit("store.repair", of: "fundmail.sqlite", findings.first?.detail ?? "", by: "fundmail")
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
