internal import Glibc
import FundCore

/// Backs up the log of a store whose database is damaged or lost: its new bytes come behind those that the backup has,
/// and all that is there stays, above all the backup's database. Nothing is taken away that this needs.
struct LogBackup {
    let source: StoreLocation
    let log: any SegmentStore
    let target: StoreLocation

    /// Backs up the log of a store whose database cannot be opened. Throws `invalid` for the backup of another store,
    /// and as `StoreBackup.run`.
    static func run(of source: StoreLocation, to path: String, without problem: StoreError) throws -> BackupReport {
        let log = LogDirectory(of: source)
        let backup = LogBackup(source: source, log: log, target: StoreLocation(root: path))
        let folder = BackupTarget(source: source, target: backup.target)
        try folder.prepare()
        return try Leases(location: source, owner: FileOwner(of: source.root)).withoutReclaim {
            guard try backup.isOfSameStore() else { throw folder.anotherStore }
            let hasDatabase = DiskFile.size(of: backup.target.database) ?? 0 > 0
            return try backup.run(beside: hasDatabase, without: problem.detail)
        }
    }

    /// The caller holds the lease of reclaiming.
    ///
    /// - Parameter hasDatabase: the backup has one.
    func run(beside hasDatabase: Bool, without problem: String) throws -> BackupReport {
        var report = BackupReport()
        report.damages = [
            "the database (\(problem)); the backup keeps " + (hasDatabase ? "the one that it had" : "none")
                + ", and gets what is new in the log"
        ]
        for number in try log.segments() {
            do { try copy(number, &report) } catch let damage as LogDamage {
                report.damages.append(damage.description)
            }
        }
        try copied.sync()
        report.damages += try BackupTarget(source: source, target: target).copyKey()
        return report
    }

    private var copied: LogDirectory { LogDirectory(of: target) }

    private func copy(_ number: SegmentNumber, _ report: inout BackupReport) throws {
        let original = try log.read(number)
        let (end, path) = (try original.size(), copied.path(of: number))
        let start = min(DiskFile.size(of: path) ?? 0, end) / LogFormat.alignment * LogFormat.alignment
        report.segments += 1
        report.logBytes += end
        guard try start == 0 || log.hasSameRecords(of: number, as: copied, upTo: start) else {
            report.damages.append("\(number.fileName), of which the backup has another state, which stays")
            return
        }
        if start == 0 { unlink(path) }
        var copy = SegmentCopy(of: original)
        defer { report.copiedBytes += copy.copiedBytes }
        try copy.write(start..<end, into: path)
    }

    /// Whether the backup is of this store. Without a database the salts of segments say it: one that both have, and
    /// none that differs.
    private func isOfSameStore() throws -> Bool {
        let both = try copied.segments().compactMap { number -> Bool? in
            guard let copy = try? copied.read(number), let own = try? log.read(number)
            else { return nil }
            return copy.salt == own.salt
        }
        guard !both.isEmpty else { return try copied.segments().isEmpty }
        return both.allSatisfy(\.self)
    }
}
