import FundCore
internal import Synchronization

/// Which contents are kept from people, in memory: they are few, and each read of a content asks.
final class Quarantine: Sendable {
    private struct State {
        /// `writeCount` of the connection when it was read; nil before.
        var writeCount: Int?
        var readAt = ContinuousClock.now
        /// The name of the malware, by content and by each message that carries one.
        var names: [ContentDigest: String] = [:]
    }

    private let connection: StoreConnection
    private let state = Mutex(State())

    init(connection: StoreConnection) { self.connection = connection }

    /// The malware in a content or raw message that is kept from people; nil for one that is not. Reads the rows after
    /// each change of the store, and otherwise at intervals, for what other processes changed.
    func malware(in digest: ContentDigest) throws -> String? {
        let (count, now) = (connection.writeCount, ContinuousClock.now)
        if let known = known(digest) { return known }
        let operation = "look for quarantined contents"
        // A store on a disk that takes no writes is read through a copy, which has the readers' connections alone.
        let names =
            connection.isReadOnly
            ? try connection.read(operation) { try Self.names($0) }
            : try connection.ask(operation) { try Self.names($0) }
        return state.withLock { state in
            (state.writeCount, state.readAt, state.names) = (count, now, names)
            return names[digest]
        }
    }

    /// The same as far as it is known without a look at the rows; nil where it is not.
    func known(_ digest: ContentDigest) -> String?? {
        let count = connection.writeCount
        return state.withLock { state in
            guard state.writeCount == count, .now - state.readAt < StoreConnection.maxCacheAge else { return nil }
            return .some(state.names[digest])
        }
    }

    /// Messages carry what was filed of them, and what they repeat of the log.
    private static func names(_ db: Database) throws -> [ContentDigest: String] {
        let isEmpty: Bool? = try db.value("SELECT NOT EXISTS (SELECT 1 FROM quarantine WHERE released_at IS NULL)")
        guard isEmpty == false else { return [:] }
        var names: [ContentDigest: String] = [:]
        try db.forEach(
            """
            WITH kept AS (
                SELECT quarantine.digest, malware, blob.id FROM quarantine
                LEFT JOIN blob ON blob.digest = quarantine.digest WHERE released_at IS NULL)
            SELECT digest, malware FROM kept
            UNION ALL SELECT message.digest, malware FROM kept JOIN attachment ON attachment.blob_id = kept.id
                JOIN email ON email.id = attachment.email_id JOIN message ON message.id = email.message_id
            UNION ALL SELECT message.digest, malware FROM kept JOIN message_blob ON message_blob.blob_id = kept.id
                JOIN message ON message.id = message_blob.message_id
            """
        ) { row in
            names[try row.digest(0)] = row[1]
            return true
        }
        return names
    }
}

/// A content as people get it: nothing of one that is kept from them, also when it was opened before.
final class GuardedContent: StoredContent {
    private let content: any StoredContent
    private let digest: ContentDigest
    private let quarantine: Quarantine

    /// Throws `quarantined`.
    init(_ content: any StoredContent, of digest: ContentDigest, _ quarantine: Quarantine) throws {
        self.content = content
        self.digest = digest
        self.quarantine = quarantine
        try check()
    }

    private func check() throws {
        guard let malware = try quarantine.malware(in: digest) else { return }
        throw StoreError(.quarantined, "read a file", "it was found to contain \(malware), and is held back")
    }

    var size: Int64 { content.size }

    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        try check()
        try content.read(range, consume)
    }

    // The content comes first in both: when it is asked, it finds out what has left memory and has to be checked again.

    func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        content.readWithoutWaiting(at: offset, into: buffer) && isKnownToBeFree
    }

    func region(_ range: Range<Int64>) -> StoredRegion? { content.region(range).flatMap { isKnownToBeFree ? $0 : nil } }

    /// Without a look at the rows: this may be called where nothing may wait.
    private var isKnownToBeFree: Bool {
        if case .some(.none) = quarantine.known(digest) { true } else { false }
    }
}
