import FundCore

/// Decides whether a backup holds only what the store has, or had: then it may be replaced.
struct BackupLineage {
    /// The state of a backup that holds more than that.
    enum Conflict: Sendable {
        /// A later state of the store.
        case later
        /// A state that went another way from one that both have in common.
        case otherWay
        /// A state with changes that were made in the backup's folder after the backup.
        case used
        /// A state of which nothing is left that could be compared.
        case unknown

        var words: String {
            switch self {
            case .later: "holds a later state of this store, which may have been restored or reset since"
            case .otherWay:
                "holds a state that went another way: the store or its backup was copied, and both were used"
            case .used: "was itself used as a store after the backup was made"
            case .unknown: "holds a state of which nothing tells whether this store goes on from it"
            }
        }
    }

    let log: StoreLog
    let target: StoreLocation

    /// The conflict with a backup; nil when the store goes on from the state that it holds.
    func conflict(with backup: BackupContents) throws -> Conflict? {
        guard let token = backup.token else { return try conflictByRecords(with: backup) }
        let known = try log.connection.read("look up a backup's state") { try BackupTokens(db: $0).progress(of: token) }
        guard let known else {
            let own = try log.connection.read("look up the position") { try LogPosition.of($0) }
            return backup.progress.position > own ? .later : .otherWay
        }
        return known == backup.progress ? nil : .used
    }

    /// The conflict with a backup that an older version made, or whose state the store does not know: found by each
    /// record of it.
    func conflictByRecords(with backup: BackupContents) throws -> Conflict? {
        let (ends, last) = try log.connection.read("compare a backup") { db in
            let ends: [SegmentNumber: Int64] = try db.rows("SELECT number, end_offset FROM segment").reduce(into: [:]) {
                $0[$1[0]] = $1[1]
            }
            return (ends, try db.lastNumber(of: "segment"))
        }
        for (number, segment) in backup.segments.sorted(by: { $0.key < $1.key }) {
            guard let end = ends[number] else {
                // Without a row it was removed since; or it was never made here.
                if number.value > last { return .later }
                continue
            }
            guard end >= segment.end else { return .later }
            guard try agrees(number, upTo: segment.end) else { return .otherWay }
        }
        return nil
    }

    /// Whether no record of the backup's segment contradicts the store's: no other one begins where it does. What is
    /// damaged or missing contradicts nothing.
    private func agrees(_ number: SegmentNumber, upTo end: Int64) throws -> Bool {
        do {
            let copied = try copied.headers(of: number, upTo: end)
            return try log.segments.headers(of: number, upTo: end).allSatisfy { copied[$0] ?? $1 == $1 }
        } catch is LogDamage { return true }
    }

    private var copied: LogDirectory { LogDirectory(of: target) }

    /// Whether all that the backup's segment has whole stands in the store's, too.
    func holds(_ number: SegmentNumber) throws -> Bool {
        let copied: [Int64: RecordHeader]
        do { copied = try self.copied.headers(of: number) } catch is LogDamage { return true }
        let own = try log.segments.headers(of: number)
        return copied.allSatisfy { own[$0] == $1 }
    }

    /// Finds what the backup has and the store has not. Throws `invalid` for damage of the backup's database.
    func loss() throws -> BackupLoss {
        do {
            return try DatabaseFile.read(target.database) { db in
                BackupLoss(messages: try unknown("message", in: db), contents: try unknown("blob", in: db))
            }
        } catch let error where ConnectionPool.isDamage(error) {
            // One of the two is damaged.
            if let remains = try BackupRemains.read(target).remains { throw remains.error }
            throw error
        }
    }

    /// Digests that are looked up at a time, by one text.
    private static let digestsAtATime = 500

    /// Number of the digests of a table of the backup that the store has not.
    private func unknown(_ table: String, in backup: Database) throws -> Int {
        try log.connection.read("compare with the backup") { db in
            let places = Array(repeating: "?", count: Self.digestsAtATime).joined(separator: ", ")
            let sql = "SELECT count(*) FROM \(table) WHERE digest IN (\(places))"
            var (missing, digests): (Int, [ContentDigest]) = (0, [])
            func lookUp() throws {
                guard let first = digests.first else { return }
                let rest = Array(repeating: first, count: Self.digestsAtATime - digests.count)
                let known: Int = try db.value(sql, digests + rest) ?? 0
                missing += digests.count - known
                digests = []
            }
            try backup.forEach("SELECT digest FROM \(table)") { row in
                digests.append(try row.digest(0))
                if digests.count == Self.digestsAtATime { try lookUp() }
                return true
            }
            try lookUp()
            return missing
        }
    }

    /// Why the backup is not replaced, and what can be done.
    func refusal(_ conflict: Conflict, _ loss: BackupLoss) -> StoreError {
        StoreError(
            .conflict, "back the store up",
            """
            \(target.root) \(conflict.words); it has \(loss) that this store has not. Name another folder; or bring \
            that state back with `fundmail restore \(target.root) --to DIR`; or replace it with --force, and what it \
            alone has is lost, with the older states that it keeps
            """)
    }
}

/// Contents of a backup that were in no state of the store when it was replaced all the same.
package struct BackupLoss: Sendable, Hashable, CustomStringConvertible {
    package var messages: Int
    /// Count of contents of files and attachments, each once.
    package var contents: Int

    package var isNothing: Bool { messages == 0 && contents == 0 }

    package var description: String {
        "\(messages) \(messages == 1 ? "message" : "messages") and \(contents) \(contents == 1 ? "file" : "files")"
    }
}
