internal import Dispatch
import FundCore
internal import Synchronization

/// A file of a drive that came whole, for its place in a fund.
struct PulledFile: Sendable {
    var upload: StagedUpload
    /// The bytes of `upload`.
    var bytes: UploadFile
    var path: DrivePath
    var version: String?
    var name: String
    /// Names of folders below the transfer's place.
    var folder: [String]
    var modifiedAt: Timestamp?
    var transfer: DriveTransfer.ID
}

/// Makes pulled files durable and gives them rows. Small ones that come while others are made durable share the next
/// barrier and the next transaction.
final class PulledFiles: Sendable {
    private struct Waiting: Sendable {
        var file: PulledFile
        var continuation: CheckedContinuation<FileEntry?, any Error>
    }

    /// A file with its record in the log.
    private struct Staged {
        var file: PulledFile
        var record: AppendedRecord?
        /// See `StoreLog.generation`; nil until its bytes are appended, which is done once.
        var generation: Int?
    }

    private typealias Outcome = Result<FileEntry?, any Error>

    /// Files of one transaction, which holds up other writers.
    private static let maxFiles = 64
    private static let operation = "add a file of a drive"

    private let connection: StoreConnection
    private let log: StoreLog
    private let queue = DispatchQueue(label: "fundmail.store.pull")
    private let waiting = Mutex<[Waiting]>([])

    init(_ connection: StoreConnection, _ log: StoreLog) { (self.connection, self.log) = (connection, log) }

    /// Files that wait for others to be committed.
    var waitingCount: Int { waiting.withLock { $0.count } }

    /// See `TransferRegister.addPulled`.
    func add(_ file: PulledFile) async throws -> FileEntry? {
        // A large one has a file of its own to be made durable.
        guard file.upload.size < LogFormat.largeBytes else {
            return try await connection.queues.upload.run { [self] in try outcomes(of: [Staged(file: file)])[0].get() }
        }
        return try await withCheckedThrowingContinuation { continuation in
            waiting.withLock { $0.append(Waiting(file: file, continuation: continuation)) }
            queue.async { self.commitWaiting() }
        }
    }

    /// Commits what waits, if an earlier call has left any.
    private func commitWaiting() {
        let batch = waiting.withLock { waiting in
            let batch = Array(waiting.prefix(Self.maxFiles))
            waiting.removeFirst(batch.count)
            return batch
        }
        guard !batch.isEmpty else { return }
        let outcomes = outcomes(of: batch.map { Staged(file: $0.file) })
        for (one, outcome) in zip(batch, outcomes) { one.continuation.resume(with: outcome) }
    }

    private func outcomes(of files: [Staged]) -> [Outcome] {
        var files = files
        do { return try commit(&files) } catch {
            guard files.count > 1 else { return [.failure(error)] }
            // A failure of one is no matter of the others.
            return files.flatMap { outcomes(of: [$0]) }
        }
    }

    /// Throws what keeps all of them from being stored. Blocks.
    private func commit(_ files: inout [Staged]) throws -> [Outcome] {
        var known: [Int] = []
        // An upload that must be refused anyway is refused before anything is made durable.
        var outcomes: [Outcome?] = try connection.read(Self.operation) { db in
            known = []
            return try files.map(\.file).enumerated().map { index, file in
                try Self.refusal {
                    let goal = try Goal(of: file, db, Self.operation)
                    if try goal.knownFile(file, db) != nil { return known.append(index) }
                    try change(of: goal, db).requireRoom(file.upload.size, in: goal.place.fund, Self.operation)
                }
            }
        }
        for index in known {
            // Asked again in the transaction: the file may have been deleted meanwhile.
            var isNoted = false
            let refusal = try Self.refusal {
                let file = files[index].file
                isNoted = try connection.write(Self.operation, .reserve) { db in
                    try Self.noteKnown(file, Goal(of: file, db, Self.operation), db)
                }
            }
            outcomes[index] = isNoted ? .success(nil) : refusal
        }
        for index in files.indices where outcomes[index] == nil && files[index].generation == nil {
            let (file, generation) = (files[index].file, log.generation)
            do {
                files[index].record = try file.bytes.store(file.upload.digest)
                files[index].generation = generation
            } catch { outcomes[index] = .failure(error) }
        }
        let stored = outcomes.indices.filter { outcomes[$0] == nil }
        guard !stored.isEmpty else { return outcomes.compactMap(\.self) }
        let staged = files
        let generations = Set(stored.compactMap { staged[$0].generation })
        let added = try log.committing(Self.operation, appendedIn: Array(generations)) { db in
            try stored.map { index in
                var entry: FileEntry?
                let refusal = try Self.refusal {
                    entry = try db.savepoint { try add(staged[index].file, staged[index].record, db) }
                }
                return refusal ?? .success(entry)
            }
        } records: { (added: [Outcome]) in
            zip(stored, added).compactMap { index, outcome in (try? outcome.get()) == nil ? nil : staged[index].record }
        } orElse: {
            for index in stored { staged[index].record?.giveUp() }
        }
        for (index, outcome) in zip(stored, added) {
            if (try? outcome.get()) == nil { staged[index].record?.giveUp() }
            outcomes[index] = outcome
        }
        return outcomes.compactMap(\.self)
    }

    /// Calls `work`. Returns the outcome of a file that is refused, and throws what is no matter of this file.
    private static func refusal(_ work: () throws -> Void) throws -> Outcome? {
        do {
            try work()
            return nil
        } catch is AlreadyPulled {
            return .success(nil)
        } catch let error as DriveError {
            return .failure(error)
        } catch let error as StoreError
            where error.isOne(of: .notFound, .conflict, .invalid, .alreadyExists, .overQuota)
        {
            return .failure(error)
        }
    }

    /// Nil for a watched file whose content is filed already, as by another file of the same transaction.
    private func add(_ file: PulledFile, _ record: AppendedRecord?, _ db: Database) throws -> FileEntry? {
        let operation = Self.operation
        let goal = try Goal(of: file, db, operation)
        if try Self.noteKnown(file, goal, db) { return nil }
        let change = change(of: goal, db)
        let folder = try change.folder(file.folder, below: goal.place, operation)
        var target = FileTarget(file.name, in: folder, ifTaken: .number)
        target.modifiedAt = file.modifiedAt
        let upload = file.upload
        let entry = try change.addFile(
            upload.digest, size: upload.size, contentType: upload.contentType, record, at: target, operation)
        try TransferRows(db: db).note(file.path, version: file.version, of: file.transfer)
        try goal.watched?.noteFiled(file.version ?? "", upload.digest, as: entry.id, db)
        return entry
    }

    private func change(of goal: Goal, _ db: Database) -> LibraryChange {
        LibraryChange(db: db, user: goal.user, limits: connection.storageLimits)
    }

    /// Notes a watched file whose content is filed already, as one that was renamed or only touched; false where it is
    /// not filed any more.
    private static func noteKnown(_ file: PulledFile, _ goal: Goal, _ db: Database) throws -> Bool {
        guard let watched = goal.watched, let known = try goal.knownFile(file, db) else { return false }
        try TransferRows(db: db).note(file.path, version: file.version, of: file.transfer)
        try watched.noteFiled(file.version ?? "", file.upload.digest, as: known, isNew: false, db)
        return true
    }
}

/// The file is noted already.
private struct AlreadyPulled: Error {}

/// The place of a file that a transfer brings.
private struct Goal {
    let user: User.ID
    let place: LibraryPlace
    /// The file of the watched folder for which the transfer was begun; nil for other transfers.
    let watched: WatchedGoal?

    /// Throws unless the transfer is carried out, and does not have the file yet.
    init(of file: PulledFile, _ db: Database, _ operation: String) throws {
        let rows = TransferRows(db: db)
        let transfer = try rows.runningHead(file.transfer, operation)
        if try rows.isNoted(file.path, of: file.transfer) { throw AlreadyPulled() }
        (user, place) = (transfer.user, try transfer.checkedPlace(db, operation))
        watched = try transfer.watch.map { try WatchedGoal(file.path, file.version, of: $0, db, operation) }
    }

    /// The file that the place has already, where a watched file brings nothing else.
    func knownFile(_ file: PulledFile, _ db: Database) throws -> FileEntry.ID? {
        try watched?.sameFile(
            as: file.upload.digest, named: file.name, in: place, LibraryView(db: db, user: user))
    }
}
