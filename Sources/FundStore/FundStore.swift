package import FundCore
internal import Glibc

/// A store in one folder: SQLite rows, raw messages, and the bytes of attachments and uploads. It opens the store and
/// gives its parts, which share one connection.
///
/// A run that takes in mail holds `run.lock` for as long as it lasts.
package final class FundStore: Sendable {
    package let mail: SQLiteMailStore
    package let library: SQLiteLibraryStore
    package let accounts: SQLiteAccountStore
    package let administration: SQLiteAdministrationStore
    package let maintenance: StoreMaintenance

    let connection: StoreConnection
    let files: StoreFiles

    package var path: String { connection.layout.root }

    /// A search waits up to `searchWait` until what came in just now is indexed. Throws `notAStore`, `newerVersion`,
    /// `held` (another process keeps `write.lock`), `outOfSpace`, `io`.
    package static func open(
        at path: String, mode: OpenMode, faults: FaultInjection = .none, searchWait: Duration = .milliseconds(100)
    ) throws -> FundStore {
        try open(
            at: path, mode: mode, faults: faults, searchWait: searchWait,
            syncFileSystem: DurabilityBarrier.syncFileSystem)
    }

    static func open(
        at path: String, mode: OpenMode, faults: FaultInjection, searchWait: Duration,
        syncFileSystem: @escaping @Sendable (Int32) -> Int32
    ) throws -> FundStore {
        do {
            return try FundStore(
                path: path, mode: mode, faults: faults, searchWait: searchWait, syncFileSystem: syncFileSystem)
        } catch {
            let operation = "open the store in \(path)"
            // SQLite does not say why it cannot open a file.
            let error = StoreError.wrap(error, operation)
            guard (error as? StoreError)?.code == .io, let problem = StoreOwnership.problem(of: path, isThorough: false)
            else { throw error }
            throw StoreError(.io, operation, problem)
        }
    }

    private init(
        path: String, mode: OpenMode, faults: FaultInjection, searchWait: Duration,
        syncFileSystem: @escaping @Sendable (Int32) -> Int32
    ) throws {
        connection = try StoreConnection(path: path, mode: mode)
        files = try StoreFiles(connection: connection, faults: faults, syncFileSystem: syncFileSystem)
        let index = SearchIndex(connection: connection, catchUpTime: searchWait)
        let purge = Purge(connection: connection, files: files)
        mail = SQLiteMailStore(connection: connection, files: files)
        library = SQLiteLibraryStore(connection: connection, files: files, index: index, purge: purge)
        accounts = SQLiteAccountStore(connection: connection)
        administration = SQLiteAdministrationStore(connection: connection, purge: purge)
        maintenance = StoreMaintenance(connection: connection, files: files, index: index, purge: purge)
    }

    /// Waits for what is running. Afterwards the store cannot be used. Closing twice is harmless.
    package func close() throws { try connection.close() }

    /// Waits for the run lock, nil not at all; then sweeps what a crash left in `tmp`. `held` names the holder.
    package func acquireRunLock(holder: String, waitingUpTo wait: Duration? = nil) throws -> RunLock {
        try StoreError.wrapping("use the store") {
            let layout = connection.layout
            let lock = try RunLock(
                path: layout.runLock, owner: connection.owner, holder: holder, waitingUpTo: wait ?? .zero)
            guard StoreLayout.isFolder(layout.temporary) else {
                throw SpoolError("sweep", layout.temporary, code: ENOTDIR)  // a link would have others' files deleted
            }
            for name in try DiskDirectory.names(in: layout.temporary) {
                let path = "\(layout.temporary)/\(name)"
                // Uploads are taken without the run lock.
                if !name.hasPrefix(UploadFile.namePrefix) || !UploadFile.isInUse(path) { unlink(path) }
            }
            // No other process takes in mail now, and uploads are locked.
            if lock.wasAbandoned { _ = try maintenance.sweepBlobs(before: Timestamp(.max)) }
            return lock
        }
    }
}
