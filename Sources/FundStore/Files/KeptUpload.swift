internal import Crypto
import FundCore
internal import Glibc
internal import Synchronization

/// An upload that can be resumed, while a request brings its bytes: a large record (`LargeRecord`) in `tmp` that has
/// its name until it is complete. Its size says how much came, also after the process was killed; what stands there
/// behind the size of the whole, if that is known, belongs to a record that got no row.
final class KeptUpload: OpenUpload {
    private struct State {
        var hash = SHA256()
        var length: Int64?
        var syncedBytes: Int64
        var claim: UploadClaims.ID?
    }

    let row: UploadRow
    let record: LargeRecord
    private let log: StoreLog
    private let state: Mutex<State>

    var key: UploadKey { row.key }
    var offset: Int64 { record.bodyBytes }
    var length: Int64? { state.withLock { $0.length } }

    private init(_ log: StoreLog, _ row: UploadRow, _ record: LargeRecord, _ hash: SHA256) {
        (self.log, self.row, self.record) = (log, row, record)
        state = Mutex(State(hash: hash, length: row.length, syncedBytes: row.syncedBytes))
    }

    deinit { endRequest() }

    static func path(of key: UploadKey, in log: StoreLog) -> String { log.connection.location.upload(key.text) }

    /// A new one, whose file and name are durable. Its row is to follow.
    static func make(_ row: UploadRow, in log: StoreLog) throws -> KeptUpload {
        let record = try LargeRecord(
            path(of: row.key, in: log), owner: log.connection.owner, label(of: row), salt: row.salt, .kept)
        try record.sync()
        try DiskFile.syncNames(in: log.connection.location.temporary)
        return KeptUpload(log, row, record, SHA256())
    }

    /// One that a process left: reads what it holds. Throws `held` when a process has it open, `notFound` when its file
    /// is gone.
    static func open(_ row: UploadRow, in log: StoreLog) throws -> KeptUpload {
        var hash = SHA256()
        let numbers = LogDirectory(of: log.connection.location).numbers(ofSameFileAs: path(of: row.key, in: log))
        // A later state of the database had made a file of it: nothing of that is cut.
        guard try numbers.allSatisfy({ try log.segments.read($0).commitMark(behind: 0) == nil })
        else {
            throw StoreError(
                .notFound, "go on with an upload", "it is complete in a log that is newer than the database")
        }
        let record = try LargeRecord(
            resuming: path(of: row.key, in: log), label(of: row), salt: row.salt, upTo: bound(of: row), .kept
        ) { hash.update(bufferPointer: $0) }
        try check(record.bodyBytes, row)
        // Its record got no row, since its process was killed.
        for number in numbers { unlink(log.connection.location.path(number.nameInStore)) }
        guard row.boot != UploadRows.boot else { return KeptUpload(log, row, record, hash) }
        var row = row
        row.boot = UploadRows.boot
        try record.sync()
        try log.connection.write("go on with an upload") {
            try UploadRows(db: $0).noteSynced(row.key, row.syncedBytes, at: .now)
        }
        return KeptUpload(log, row, record, hash)
    }

    /// Makes the bytes durable that a process left, and returns their count. Throws as `open`.
    static func durableBytes(of row: UploadRow, in log: StoreLog) throws -> Int64 {
        let bytes = try LargeRecord.durableBytes(path(of: row.key, in: log), label(of: row), upTo: bound(of: row))
        try check(bytes, row)
        return bytes
    }

    /// Throws where bytes are missing of which a client was told that they are there (§4.1.1 of the draft).
    private static func check(_ bytes: Int64, _ row: UploadRow) throws {
        guard bytes >= row.syncedBytes else {
            throw StoreError(.notFound, "go on with an upload", "the disk has lost some of its bytes")
        }
    }

    private static func label(of row: UploadRow) -> RecordHeader.Label {
        RecordHeader.Label(kind: .blob, digest: .of([]), contentBytes: 0, time: row.createdAt, origin: row.name)
    }

    /// Upper bound for the bytes of the file that count.
    private static func bound(of row: UploadRow) -> Int64 {
        row.boot == UploadRows.boot ? row.length ?? .max : row.syncedBytes
    }

    /// Removes one: first its row by `forget`, then its file. Throws `held` when another process has it open.
    ///
    /// - Parameter isOpen: whether this process has it open.
    static func remove(_ row: UploadRow, isOpen: Bool, in log: StoreLog, _ forget: () throws -> Void) throws {
        let path = path(of: row.key, in: log)
        let hold = isOpen ? nil : try LargeRecord.Hold(path)
        try withExtendedLifetime(hold) {
            try forget()
            unlink(path)
        }
    }

    /// Removes those whose time is over, and the files of those that are complete or unknown. What a process has open
    /// stays. Returns how many files went.
    static func sweep(_ log: StoreLog, now: Timestamp) throws -> Int {
        let operation = "remove uploads that were broken off"
        let old = try log.connection.read(operation) {
            try UploadRows(db: $0).untouched(since: now - UploadProgress.lifetime)
        }
        for row in old {
            do {
                try remove(row, isOpen: false, in: log) {
                    try log.connection.write(operation, .reserve) { try UploadRows(db: $0).remove(row.key) }
                }
            } catch let error as StoreError where error.code == .held { continue }
        }
        let folder = log.connection.location.temporary
        let names = try DiskDirectory.names(in: folder).filter { $0.hasPrefix(StoreLocation.uploadPrefix) }
        guard !names.isEmpty else { return 0 }
        let key = { (name: String) in String(name.dropFirst(StoreLocation.uploadPrefix.count)) }
        let incomplete = { try log.connection.read(operation) { try UploadRows(db: $0).incompleteKeys() } }
        // An upload that goes on is not even held: a request for it would be told that another process has it.
        let needed = try incomplete()
        return try names.count { name in
            let path = "\(folder)/\(name)"
            // Rows are read again while it is held: its process may have been about to give it one.
            guard !needed.contains(key(name)), let hold = try? LargeRecord.Hold(path), hold.isThere,
                !(try incomplete().contains(key(name)))
            else { return false }
            return withExtendedLifetime(hold) { unlink(path) == 0 }
        }
    }

    // MARK: Requests

    func beginRequest(announcing bytes: Int64?) throws {
        endRequest()
        let space = log.connection.space
        // One that comes too slowly while room is short loses its claim, not what came of it.
        let claim = try space.claims.add(announcing: bytes, room: { space.intakeRoom }) {}
        state.withLock { $0.claim = claim }
    }

    func endRequest() {
        let claim = state.withLock { state in
            defer { state.claim = nil }
            return state.claim
        }
        if let claim { log.connection.space.claims.remove(claim) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        let space = log.connection.space
        try StoreError.wrapping("take an upload") {
            guard let claim = state.withLock({ $0.claim }) else {
                throw StoreError(.invalid, "take an upload", "no request has begun")
            }
            try space.claims.grow(claim, by: Int64(bytes.count)) { space.intakeRoom }
            try record.append(bytes)
            state.withLock { $0.hash.update(bufferPointer: bytes) }
        }
    }

    func noteLength(_ length: Int64) throws {
        guard self.length != length else { return }
        try log.connection.write("note the length of an upload") { try UploadRows(db: $0).noteLength(key, length) }
        state.withLock { $0.length = length }
    }

    func sync() throws -> Int64 {
        try StoreError.wrapping("keep an upload") {
            let bytes = offset
            guard state.withLock({ $0.syncedBytes }) != bytes else { return bytes }
            try record.sync()
            try log.connection.write("keep an upload") { try UploadRows(db: $0).noteSynced(key, bytes, at: .now) }
            state.withLock { $0.syncedBytes = bytes }
            return bytes
        }
    }

    // MARK: The end

    /// Digest of all that came.
    var digest: ContentDigest { ContentDigest(state.withLock { $0.hash }.finalize()) }

    /// Appends the bytes to the log; nil when there are none. A large one is linked into it, and keeps its name in
    /// `tmp`. May be called again when no row came of it.
    func store(_ digest: ContentDigest) throws -> AppendedRecord? {
        try StoreError.wrapping("store an upload") {
            try offset > 0 ? log.append(blob: record, of: digest, named: row.name) : nil
        }
    }

    /// Takes the name in `tmp` away, once the upload is a file.
    func removeName() { record.removeName() }
}
