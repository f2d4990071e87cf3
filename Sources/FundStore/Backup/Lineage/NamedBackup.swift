internal import Glibc
import FundCore

/// A backup that a person names for a repair. Rows come from it only where it is whole, of this store, and of a state
/// that the store goes on from: a row of another state may be another person's under the same number.
struct NamedBackup {
    private static let operation = "take rows from the backup"

    private let location: StoreLocation

    /// - Parameter path: the folder of the backup, or the database in it. Throws `notFound`.
    init(_ path: String) throws {
        let folder = StoreLocation(root: path)
        if DiskFile.size(of: folder.database) != nil {
            location = folder
        } else if DiskFile.size(of: path) != nil {
            let slash = path.lastIndex(of: "/")
            let parent = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
            location = StoreLocation(
                root: parent, databaseName: String(slash.map { path[path.index(after: $0)...] } ?? path[...]))
        } else {
            throw StoreError(.notFound, Self.operation, "there is no fundmail.sqlite in \(path)")
        }
    }

    /// The database of the backup, once it is certain that its rows may come into the store. Throws `invalid` for one
    /// that is damaged or none of this store, and `conflict` for one of another state.
    func database(for log: StoreLog) throws -> String {
        guard !log.connection.location.contains(location.root) else {
            throw error("it is the store itself, or lies in it: name a folder that `fundmail backup` wrote")
        }
        let (contents, remains) = try BackupRemains.read(location)
        guard let contents else { throw damaged(remains?.problem) }
        guard try isOfSameStore(contents, log) else {
            throw error("it is none of this store: name a folder into which this store was backed up")
        }
        let lineage = BackupLineage(log: log, target: location)
        guard let conflict = try lineage.conflictOfRows(with: contents, at: location.database) else {
            return location.database
        }
        throw error("it \(conflict.words). Its rows may be other people's here: \(try advice(log))", .conflict)
    }

    /// Whether the backup is of this store: by its number, or, where that is lost, by the log's marks, unless these
    /// name none.
    private func isOfSameStore(_ contents: BackupContents, _ log: StoreLog) throws -> Bool {
        guard let other = contents.identity else { return false }
        let own = try Database.readable(or: nil) {
            try log.connection.read("read the store's number") { try StoreIdentity.of($0) }
        }
        if let own { return own == other }
        let marks = try log.segments.commitMarks().filter { !CommitMark.namelessStores.contains($0.store) }
        return marks.isEmpty || marks.contains { $0.store == StoreIdentity.mark(of: other) }
    }

    // MARK: Words

    private func error(_ detail: String, _ code: StoreError.Code = .invalid) -> StoreError {
        StoreError(code, "\(Self.operation) \(location.root)", "\(detail). Nothing was changed")
    }

    private func damaged(_ problem: String?) -> StoreError {
        let problem = problem.map { " (\($0))" } ?? ""
        return error(
            "what is damaged here is the backup's \(location.databaseName)\(problem), whatever the store is: name "
                + "another backup, or a folder that `fundmail restore \(location.root) --state NAME --to DIR` makes of "
                + "an older state (`fundmail restore \(location.root) --list`)")
    }

    /// The backup to name instead, by what the store knows of its backups.
    private func advice(_ log: StoreLog) throws -> String {
        let tokens = try Database.readable(or: []) {
            try log.connection.read("look up backups") { try BackupTokens(db: $0).latest() }
        }
        let kept = Set(try KeptStates(backup: location).all().compactMap(\.name))
        if let name = tokens.lazy.map(KeptStates.name(of:)).first(where: kept.contains) {
            return "it keeps an older state that this store goes on from, of which "
                + "`fundmail restore \(location.root) --state \(name) --to DIR` makes a folder to name"
        }
        guard let newest = tokens.first else { return "name a backup of this store" }
        return "name a backup of this store, of which the newest was made at \(UTCStamp.basic(newest.at))"
    }
}
