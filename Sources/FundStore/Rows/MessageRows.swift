import FundCore

/// Rows of raw messages, whatever became of them.
enum MessageRows {
    typealias ID = FundCore.ID<MessageRows>

    /// Whether these bytes were taken in.
    static func holds(_ digest: ContentDigest, _ db: Database) throws -> Bool {
        try db.value("SELECT EXISTS (SELECT 1 FROM message WHERE digest = ?)", [digest]) ?? false
    }

    /// Nil for one that is not known, or was dropped.
    static func location(of digest: ContentDigest, _ db: Database) throws -> RecordLocation? {
        try db.row("SELECT \(RecordLocation.columns) FROM message WHERE digest = ?", [digest]).flatMap {
            RecordLocation($0, at: 0)
        }
    }

    static func move(_ digest: ContentDigest, to location: RecordLocation, _ db: Database) throws {
        try db.execute(
            "UPDATE message SET segment = ?, record_offset = ?, record_bytes = ? WHERE digest = ?",
            location.arguments + [digest])
    }

    /// The email that a message was filed as when it came before, be it another way.
    static func email(like message: SpooledMessage, _ db: Database) throws -> EmailSummary.ID? {
        try db.value("SELECT id FROM email WHERE fingerprint = ?", [message.fingerprint])
    }
}
