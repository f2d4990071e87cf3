internal import Glibc
package import FundCore

/// A new database that is made from the log alone, beside the one that is there or was. The old one is kept under
/// another name when the new one takes its place; until then nothing is changed, and what a killed rebuild has left is
/// thrown away by the next.
package struct DatabaseRebuild {
    /// The store with the new database. No other process can open the store meanwhile.
    package let store: FundStore

    /// Throws `invalid` for a database that is whole, unless told so, and where something else than a file stands in
    /// its place; `notFound` without segments, also in one of `places`, `held` while another process uses the store,
    /// `outOfSpace`, `io`.
    ///
    /// - Parameters:
    ///   - places: further segments that will be read.
    ///   - isForced: also beside a database that is whole.
    package static func begin(
        at path: String, also places: [String], isForced: Bool, faults: FaultInjection = .none
    ) throws -> DatabaseRebuild {
        let operation = "rebuild the store in \(path)"
        return try StoreError.wrapping(operation) {
            let location = StoreLocation(root: path)
            try StorePlaces.requireRowsInFolder(
                location, operation,
                instead: "bring the server's own backup back, or get mail and files out with `fundmail salvage`")
            guard DiskFile.leadsToFolder(location.log) || !places.isEmpty else {
                throw StoreError(.notFound, operation, "there is no log in it")
            }
            if let kind = DiskFile.kind(of: location.database), kind != .file {
                throw StoreError(
                    .invalid, operation,
                    "\(location.database) is \(kind), not a database: move it away, or put the database itself there")
            }
            guard !LeftFiles(in: [location.log] + places).files.isEmpty else {
                let lost = LeftFiles(in: [location.lost]).files.count
                let hint = lost > 0 ? "; lost/ has \(lost) of them: name it with --from \(location.lost)" : ""
                throw StoreError(.notFound, operation, "there are no segments in log/\(hint)")
            }
            if let missing = LeftFiles.emptiness(of: places).first {
                throw StoreError(.notFound, operation, "of what is named with --from, \(missing)")
            }
            if !isForced, try isWhole(path) {
                throw StoreError(
                    .invalid, operation,
                    "its database is whole; `fundmail verify --repair` files what the log has behind it; --force "
                        + "makes a new one all the same, without what stands in no mail: notes, folders, names")
            }
            return DatabaseRebuild(store: try FundStore.open(at: path, mode: .rebuild, faults: faults))
        }
    }

    /// Whether a database is whole. Throws for one that cannot be looked at now: another version has written it, or it
    /// is held.
    private static func isWhole(_ path: String) throws -> Bool {
        do {
            let store = try FundStore.open(at: path, mode: .readOnly)
            defer { try? store.close() }
            return try store.connection.read("check the database") { try $0.passesQuickCheck() }
        } catch let error as StoreError where [.rowsLost, .notAStore, .corrupted].contains(error.code) {
            return false
        }
    }

    /// Puts the new database into its place. Gives the name under which the old one is kept, nil when there was none.
    package func finish() throws -> String? {
        try StoreError.wrapping("put the new database into its place") {
            let connection = store.connection
            store.log.settle()
            try? store.previews.close()
            _ = try connection.locked("move the write-ahead log into the database") { connection.truncateWAL($0) }
            var kept: String?
            try connection.close { kept = try Self.putInPlace(connection.location, store.log.faults) }
            return kept
        }
    }

    /// Ends without a change.
    package func abandon() {
        let location = store.connection.location
        try? store.previews.close()
        try? store.connection.close {
            StoreLocation.removeDatabase(location.database)
        }
    }

    /// At no moment a write-ahead log stands beside a database that is not its own: the old one goes first, and while
    /// there is none every command stops and says so.
    private static func putInPlace(_ location: StoreLocation, _ faults: FaultInjection) throws -> String? {
        let (draft, target) = (location.database, StoreLocation(root: location.root).database)
        guard DiskFile.size(of: location.writeAheadLog) ?? 0 == 0 else {
            throw StoreError(.io, "close the new database", "rows are left in its write-ahead log")
        }
        try DiskFile.sync(draft)
        let kept = try setAside(target, in: location)
        faults.reach(.afterOldDatabase)
        for path in [location.writeAheadLog, location.sharedMemory] { unlink(path) }
        try DiskFile.rename(draft, to: target)
        try DiskFile.syncNames(in: location.root)
        // Made of rows that have other numbers now; it is made again.
        StoreLocation.removeDatabase(location.previewDatabase)
        return kept
    }

    private static func setAside(_ database: String, in location: StoreLocation) throws -> String? {
        let suffixes = StoreLocation.databaseSuffixes.filter { DiskFile.size(of: database + $0) != nil }
        guard !suffixes.isEmpty else { return nil }
        var name = "\(StoreLocation.databaseName).replaced-\(Timestamp.now)"
        if DiskFile.size(of: location.path(name)) != nil { name = DiskDirectory.uniqueName(prefix: name) }
        for suffix in suffixes { try DiskFile.rename(database + suffix, to: location.path(name) + suffix) }
        try DiskFile.syncNames(in: location.root)
        return name
    }
}
