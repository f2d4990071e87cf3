import FundCore

/// Rows of raw messages, whatever became of them.
enum MessageRows {
    typealias ID = FundCore.ID<MessageRows>

    /// Nil for one that is not known, or was dropped.
    static func location(of digest: ContentDigest, _ db: Database) throws -> RecordLocation? {
        try db.row("SELECT \(RecordLocation.columns) FROM message WHERE digest = ?", [digest]).flatMap {
            RecordLocation($0, at: 0)
        }
    }

    /// A raw message of the store.
    struct Copy {
        var id: ID
        var digest: ContentDigest
        /// Nil when it was dropped.
        var location: RecordLocation?
    }

    /// What holds these bytes, or else the message that came another way and was filed; nil when there is none.
    static func firstCopy(of message: SpooledMessage, _ db: Database) throws -> Copy? {
        let found =
            try db.value("SELECT id FROM message WHERE digest = ?", [message.digest]) ?? filedCopy(of: message, db)
        // Mostly there is none, and a row costs more than to ask whether there is one.
        return try found.flatMap { id in
            try db.row("SELECT digest, \(RecordLocation.columns) FROM message WHERE id = ?", [id]).map {
                Copy(id: id, digest: try $0.digest(0), location: RecordLocation($0, at: 1))
            }
        }
    }

    /// The message that came another way and was filed.
    static func filedCopy(of message: SpooledMessage, _ db: Database) throws -> ID? {
        try first(of: message.fingerprints) {
            try db.value("SELECT message_id FROM email WHERE fingerprint = ?", [$0])
        }
    }

    /// The message that came another way and was kept for the same reason. One that was kept for another, as because no
    /// trust check confirmed its sender, must not stand in for this one.
    static func keptCopy(of message: SpooledMessage, reason: Reason?, _ db: Database) throws -> ID? {
        try first(of: message.fingerprints) {
            try db.value(
                """
                SELECT id FROM message WHERE fingerprint = ?1 AND outcome <> 'filed' AND reason IS ?2
                ORDER BY id LIMIT 1
                """, [$0, reason?.rawValue])
        }
    }

    private static func first<Found>(
        of fingerprints: [ContentDigest], _ find: (ContentDigest) throws -> Found?
    ) rethrows -> Found? {
        for fingerprint in fingerprints {
            if let found = try find(fingerprint) { return found }
        }
        return nil
    }

    static func move(_ digest: ContentDigest, to location: RecordLocation, _ db: Database) throws {
        try db.execute(
            "UPDATE message SET \(RecordLocation.assignments) WHERE digest = ?", location.arguments + [digest])
    }

    /// The email that a message was filed as when it came before, be it another way.
    static func email(like message: SpooledMessage, _ db: Database) throws -> EmailSummary.ID? {
        try first(of: message.fingerprints) { try db.value("SELECT id FROM email WHERE fingerprint = ?", [$0]) }
    }
}
