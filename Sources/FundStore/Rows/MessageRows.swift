import FundCore

/// Rows of raw messages, whatever became of them.
enum MessageRows {
    typealias ID = FundCore.ID<MessageRows>

    /// Whether these bytes were taken in.
    static func holds(_ digest: ContentDigest, _ db: Database) throws -> Bool {
        try db.value("SELECT EXISTS (SELECT 1 FROM message WHERE digest = ?)", [digest]) ?? false
    }

    /// The email that a message was filed as when it came before, be it another way.
    static func email(like message: SpooledMessage, _ db: Database) throws -> EmailSummary.ID? {
        let isSame = message.fingerprintCondition
        return try db.value("SELECT id FROM email WHERE \(isSame.sql)", isSame.arguments)
    }
}

extension SpooledMessage {
    /// Of a row of a table with fingerprints: it has the message's, or what an earlier version may have stored.
    var fingerprintCondition: (sql: String, arguments: SQLArguments) {
        guard let formerFingerprint else { return ("fingerprint = ?", [fingerprint]) }
        return ("fingerprint IN (?, ?)", [fingerprint, formerFingerprint])
    }
}
