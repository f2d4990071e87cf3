import FundCore

/// Letters that people wrote, within one write transaction, as other parts of the store see them.
struct LetterRows {
    let db: Database

    /// Whether a letter waits or is being sent, to any recipient.
    static func isUnderWay(_ letter: PersonalLetter.ID, _ db: Database) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM outbox WHERE kind = ? AND cause = ? AND state IN ('queued', 'deferred', 'sending')
            """, [OutboxCause.Kind.letter.rawValue, letter])
    }

    /// Removes the letters that the owner of a fund wrote there, with what they alone keep. Letters of others who had
    /// the fund before stay theirs, without a fund.
    func remove(of fund: Fund.ID) throws {
        let own: [PersonalLetter.ID] = try db.values(
            """
            SELECT letter.id FROM letter JOIN fund ON fund.id = letter.fund_id
            WHERE letter.fund_id = ? AND letter.user_id = fund.owner_id
            """, [fund])
        for letter in own { try remove(letter, "the fund of the letter was deleted for good before it went out") }
        try db.execute("UPDATE letter SET fund_id = NULL WHERE fund_id = ?", [fund])
    }

    /// Removes a letter with what it alone keeps. Where it waits it is dropped, with this note.
    func remove(_ letter: PersonalLetter.ID, _ note: String) throws {
        try OutboxRows(db: db, now: .now).drop(.letter(letter), note)
        let blobs: [BlobRows.ID] = try db.values(
            "SELECT DISTINCT blob_id FROM letter_attachment WHERE letter_id = ?", [letter])
        for table in ["letter_recipient", "letter_source", "letter_attachment", "letter_item"] {
            try db.execute("DELETE FROM \(table) WHERE letter_id = ?", [letter])
        }
        try db.execute("DELETE FROM letter WHERE id = ?", [letter])
        _ = try BlobRows(db: db).dropUnused(blobs)
    }
}
