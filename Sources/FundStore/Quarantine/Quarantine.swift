import FundCore
internal import Synchronization

/// Contents that are kept from people, in memory: they are few, and each read of a content asks.
final class Quarantine: Sendable {
    private struct Held {
        /// The name of the malware, by content and by each message that carries one.
        var names: [ContentDigest: String]
        var scanLoss: ScanLoss

        func state(of digest: ContentDigest) -> Known { Known(malware: names[digest], scanLoss: scanLoss) }
    }

    /// A content, as it is known without a look at the rows.
    private struct Known {
        var malware: String?
        var scanLoss: ScanLoss
    }

    private let rows: any RowDatabase
    private let held: RowCache<Held>
    private let scanned = Mutex<ScannedContents?>(nil)

    init(rows: any RowDatabase) {
        self.rows = rows
        held = RowCache(rows)
    }

    /// From now on contents are given when a scanner has looked at them, and not before.
    func hold(allBut scanned: ScannedContents) { self.scanned.withLock { $0 = scanned } }

    var isHolding: Bool { scanned.withLock { $0 != nil } }

    /// Whether an administrator has released a content. Blocks.
    func isReleased(_ content: ContentDigest) throws -> Bool {
        try rows.ask("look for a released content") {
            try $0.exists("SELECT 1 FROM quarantine WHERE digest = ? AND released_at IS NOT NULL", [content])
        }
    }

    /// The reason why a content or raw message is not given to people; nil for one that is. An empty one is never held.
    /// Blocks.
    func refusal(of digest: ContentDigest) throws -> ContentRefusal? {
        let known = try look(at: digest)
        if let malware = known.malware { return .malware(name: malware) }
        guard let scanned = scanned.withLock({ $0 }), digest != Self.empty else { return nil }
        return try scanned.contains(digest, since: known.scanLoss) ? nil : .unscanned
    }

    private static let empty = ContentDigest.of([])

    /// Whether a content is free, without a look at rows: for where nothing may wait. False where rows would be needed.
    func isKnownToBeFree(_ digest: ContentDigest) -> Bool {
        guard let known = held.known({ $0.state(of: digest) }), known.malware == nil else { return false }
        return scanned.withLock { $0 }?.isKnown(digest, since: known.scanLoss) ?? true
    }

    /// The malware in a content or raw message that is kept from people; nil for one that is not.
    func malware(in digest: ContentDigest) throws -> String? { try look(at: digest).malware }

    /// Reads the rows after each change of the store, and otherwise at intervals, for what other processes changed.
    private func look(at digest: ContentDigest) throws -> Known {
        try held.value { _ in
            try rows.ask("look for quarantined contents") {
                Held(names: try Self.names($0), scanLoss: try ScanLoss.of($0))
            }
        }.state(of: digest)
    }

    /// Messages carry what was filed of them, and what they repeat of the log; files that were made for a letter carry
    /// the contents that they hold.
    private static func names(_ db: Database) throws -> [ContentDigest: String] {
        guard try db.exists("SELECT 1 FROM quarantine WHERE released_at IS NULL") else { return [:] }
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
            UNION ALL SELECT blob.digest, malware FROM kept JOIN letter_source ON letter_source.digest = kept.digest
                JOIN letter_attachment AS made
                    ON made.letter_id = letter_source.letter_id AND made.number = letter_source.number
                JOIN blob ON blob.id = made.blob_id
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
        guard let refusal = try quarantine.refusal(of: digest) else { return }
        throw StoreError(refusal)
    }

    var size: Int64 { content.size }

    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        try check()
        try content.read(range, consume)
    }

    // The content comes first in both: when it is asked, it finds out what has left memory and has to be checked again.

    func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        content.readWithoutWaiting(at: offset, into: buffer) && quarantine.isKnownToBeFree(digest)
    }

    func region(_ range: Range<Int64>) -> StoredRegion? {
        content.region(range).flatMap { quarantine.isKnownToBeFree(digest) ? $0 : nil }
    }
}

extension StoreError {
    /// A content that is kept from people.
    init(_ refusal: ContentRefusal) {
        let operation = "read a file"
        switch refusal {
        case .malware(let name):
            self.init(.quarantined, operation, "it was found to contain \(name), and is held back")
        case .unscanned: self.init(.unscanned, operation, "it has not been scanned for malware yet; try again later")
        }
    }
}
