import Foundation
import FundCore

/// The key of the fingerprints of a store's messages, which two copies of one message share.
enum StoreFingerprints {
    static let script = """
        -- Under which key `message.fingerprint` and `email.fingerprint` are computed: one row. None in a store that had
        -- mail before there was a key: its fingerprints need none.
        CREATE TABLE fingerprint_key (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL) STRICT;
        """

    /// Gives a key to a store without mail.
    static func begin(_ db: Database) throws {
        try db.run(script: script)
        guard try db.value("SELECT 1 FROM message LIMIT 1") == nil as Int? else { return }
        let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        try db.execute("INSERT INTO fingerprint_key (id, value) VALUES (1, ?)", [Data(key)])
    }

    /// The counter that holds the last message of the time when fingerprints covered all fields of a header.
    private static let lastEarlier = "earlier_fingerprints"

    /// Notes which messages have earlier fingerprints; nothing in a store without mail.
    static func markEarlier(_ db: Database) throws {
        guard let last: Int64 = try db.value("SELECT max(id) FROM message") else { return }
        try Counter.set(lastEarlier, last, db)
    }

    /// Nil when no message has an earlier fingerprint.
    static func lastEarlierMessage(_ db: Database) throws -> MessageRows.ID? { try Counter.value(lastEarlier, db) }

    /// Whether a copy of the message may stand in the store under an earlier fingerprint, which takes a second look at
    /// all its bytes to find out. An email covers its Message-ID by that, too.
    static func mayHaveEarlierCopy(
        of message: RoutedMessage, upTo last: MessageRows.ID, _ db: Database
    ) throws -> Bool {
        guard message.kept == nil, message.decision.outcome == .filed, let id = message.parsed.header?.messageID else {
            return true
        }
        let isKnown: Int64? = try db.value(
            "SELECT 1 FROM \(MessageIDIndex.emails) WHERE email.message_id <= ?2 LIMIT 1", [id, last])
        return try isKnown != nil
            || db.value(
                "SELECT 1 FROM misroute WHERE resolution IS NULL AND message_id <= ? LIMIT 1", [last]) != nil as Int64?
    }

    static func key(_ db: Database) throws -> FingerprintKey? {
        let bytes: Data? = try db.value("SELECT value FROM fingerprint_key")
        guard let bytes else { return nil }
        guard let key = FingerprintKey(bytes: bytes) else {
            throw StoreError(.corrupted, "read the key of fingerprints", "it has \(bytes.count) bytes")
        }
        return key
    }
}
