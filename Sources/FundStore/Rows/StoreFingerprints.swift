import Foundation
import FundCore

/// The key of the fingerprints of a store's messages, which two copies of one message share.
enum StoreFingerprints {
    /// Gives a key to a store without mail.
    static func begin(_ db: Database) throws {
        guard try !db.exists("SELECT 1 FROM message") else { return }
        let key = RandomBytes.make(32)
        try db.execute("INSERT INTO fingerprint_key (id, value) VALUES (1, ?)", [Data(key)])
    }

    /// The counter that holds the last message of the time when fingerprints covered all fields of a header.
    private static let lastEarlier = "earlier_fingerprints"

    /// Notes which messages have earlier fingerprints; nothing in a store without mail.
    static func markEarlier(_ db: Database) throws {
        guard let last: Int64 = try db.value("SELECT max(id) FROM message") else { return }
        try Counter.set(lastEarlier, last, db)
    }

    /// Takes it that all messages have earlier fingerprints, where it is not known any more: a second look finds those
    /// that have none.
    static func markAllEarlier(_ db: Database) throws {
        guard try lastEarlierMessage(db) == nil else { return }
        try markEarlier(db)
    }

    /// The last message with an earlier fingerprint; nil when none has one.
    static func lastEarlierMessage(_ db: Database) throws -> MessageRows.ID? { try Counter.value(lastEarlier, db) }

    /// An email of the time of earlier fingerprints.
    struct EarlierEmail {
        var fingerprint: ContentDigest
        /// Digest of its raw message, which may have been dropped.
        var digest: ContentDigest
        var size: Int64
        var sentAt: Timestamp?
    }

    /// Emails of one Message-ID that are looked at: some devices give all their mail the same.
    private static let maxEarlierEmails = 100

    /// The emails with the Message-ID of a message that may be earlier copies of it. Nil where no copy can stand in the
    /// store under an earlier fingerprint, which takes a second look at all its bytes to find out.
    static func earlierEmails(
        like message: RoutedMessage, upTo last: MessageRows.ID, _ db: Database
    ) throws -> [EarlierEmail]? {
        let id = message.parsed.header?.messageID
        let emails: [EarlierEmail] =
            try id.map { id in
                try db.rows(
                    """
                    SELECT email.fingerprint, message.digest, message.size, email.sent_at
                    FROM \(MessageIDIndex.emails) JOIN message ON message.id = email.message_id
                    WHERE email.message_id <= ?2 LIMIT \(maxEarlierEmails)
                    """, [id, last]
                ) { row in
                    EarlierEmail(
                        fingerprint: try row.digest(0), digest: try row.digest(1), size: row[2], sentAt: row[3])
                }
            } ?? []
        guard message.kept == nil, message.decision.outcome == .filed, id != nil, emails.isEmpty else { return emails }
        return try db.exists("SELECT 1 FROM misroute WHERE resolution IS NULL AND message_id <= ?", [last]) ? [] : nil
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
