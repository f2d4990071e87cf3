package import FundCore
internal import Synchronization

/// Mail on its way into the store, mailboxes and their deliveries, and mail that could not be filed.
package final class SQLMailStore: IngestStore {
    let connection: StoreConnection
    let log: StoreLog
    let letterLimits: OutboxLimits
    private let directoryCache: RowCache<VersionedDirectory>
    private let noted = Mutex(IngestStatistics())
    /// Read when a report is looked at for the first time.
    private let bounceMark = Mutex<BounceMark?>(nil)

    private struct VersionedDirectory {
        var directory: RoutingDirectory
        /// The counter that grows when users or funds change.
        var version: Int64
    }

    init(connection: StoreConnection, log: StoreLog, letterLimits: OutboxLimits) {
        self.connection = connection
        self.log = log
        self.letterLimits = letterLimits
        directoryCache = RowCache(connection)
    }

    package func attempt(ofReturnPath address: String) throws -> OutboxAttempt? {
        let mark = try bounceMark.withLock { known in
            if let known { return known }
            let key = try StoreError.wrapping("look for the letter of a report") {
                try ServerKey.load(connection.location, owner: connection.owner)
            }
            let mark = BounceMark(serverKey: key)
            known = mark
            return mark
        }
        return mark.attempt(ofAddress: address)
    }

    package var spool: SpoolDirectory { log.spool }

    /// Since the store was opened, by this process.
    package var statistics: IngestStatistics { noted.withLock { $0 } }

    func noteStatistics(_ change: (inout IngestStatistics) -> Void) { noted.withLock { change(&$0) } }

    package func directory() throws -> RoutingDirectory {
        try directoryCache.value { last in
            try connection.read("read users and funds") { db in
                let version: Int64 = try Counter.value("directory", db) ?? 0
                if let last, last.version == version { return last }
                return VersionedDirectory(directory: try Self.loadDirectory(db), version: version)
            }
        }.directory
    }

    private static func loadDirectory(_ db: Database) throws -> RoutingDirectory {
        let users = try db.rows("SELECT * FROM \"user\"").map(User.init(row:))
        let addresses = try db.rows("SELECT address, user_id, is_answered FROM address").compactMap { row in
            EmailAddress(row[0]).map { (address: $0, user: row[1] as User.ID, isAnswered: row[2] as Bool) }
        }
        let aliases: [Fund.ID: [String]] = try db.grouped("SELECT fund_id, name FROM fund_alias ORDER BY id")
        let funds = try db.rows(
            "SELECT id, owner_id, name FROM fund WHERE archived_at IS NULL AND deleted_at IS NULL ORDER BY id"
        ) { Fund(id: $0[0], owner: $0[1], name: $0[2], aliases: aliases[$0[0]] ?? []) }
        return RoutingDirectory(
            users: users, addresses: addresses.map { ($0.address, $0.user) }, funds: funds,
            answered: Set(addresses.filter(\.isAnswered).map(\.address)))
    }

    /// Whether a message would be a duplicate: the same bytes are here, or the message came another way, was filed, and
    /// stands in for this one.
    package func holds(_ message: RoutedMessage) async throws -> Bool {
        var message = message
        message.spooled.earlierFingerprint = try earlierFingerprint(of: message)
        return try await connection.reading("look for a message") { [message] db in
            try MessageRows.firstCopy(of: message, db) != nil
        }
    }

    /// Whether the files of a message would find room if it was filed now. Takes none.
    /// - Parameters:
    ///   - others: bytes of other messages that count as filed for the same person.
    ///   - all: bytes of all messages that count as filed.
    package func hasRoom(for message: RoutedMessage, beside others: Int64 = 0, of all: Int64 = 0) async throws -> Bool {
        guard let (owner, bytes) = message.neededRoom else { return true }
        return try await connection.reading("look for room") { [connection] db in
            try StorageRoom(db: db, limits: connection.storageLimits).has(bytes, of: owner, beside: others, of: all)
        }
    }
}

extension SQLMailStore: DeliveryLedger {
    package func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace] {
        try connection.read("look up what was delivered from \(mailbox)") { db in
            try db.rows(Self.placesSQL, [mailbox]) { row in
                DeliveredPlace(
                    place: row[0], announcedBytes: row[1], isRefusedUnseen: row[2], isFiled: row[3],
                    hasSizeMismatch: row[4])
            }
        }
    }

    static let placesSQL = """
        SELECT delivery.place, announced_bytes, delivery.is_header_only, message.outcome = 'filed' OR EXISTS (
            SELECT 1 FROM misroute WHERE misroute.message_id = message.id AND misroute.email_id IS NOT NULL),
            has_size_mismatch
        FROM delivery JOIN message ON message.id = delivery.message_id
        WHERE departed_at IS NULL AND delivery.mailbox = ?
        """

    package func noteDeparted(_ places: [String], in mailbox: String) throws {
        guard !places.isEmpty else { return }
        try connection.write("note what left \(mailbox)", .reserve) { db in
            let sql = "UPDATE delivery SET departed_at = ? WHERE mailbox = ? AND place = ? AND departed_at IS NULL"
            let now = Timestamp.now
            for place in places { try db.execute(sql, [now, mailbox, place]) }
        }
    }
}
