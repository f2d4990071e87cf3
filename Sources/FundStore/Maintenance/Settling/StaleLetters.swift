import FundCore

/// Letters that came from a backup in the place of lost ones: one that waited at that time may have been sent since.
struct StaleLetters {
    let db: Database
    let losses: [TableLoss]

    /// Makes them uncertain, so that none is sent by itself; nil where no letters were lost.
    func settle() throws -> RepairNote? {
        // A digest that was queued since the backup would be queued once more.
        if losses.concern("digest") || losses.concern("digest_progress") {
            try DigestRows(db: db).beginAnew(now: .now)
            try DigestRows(db: db).passLetters()
        }
        guard losses.concern("outbox") else { return nil }
        let rows = OutboxRows(db: db, now: .now)
        let letters: [OutboxLetter.ID] = try db.values(
            "SELECT id FROM main.outbox WHERE state IN ('queued', 'deferred', 'sending')")
        let count = try letters.count { letter in
            try losses.contain(letter.rawValue, of: "outbox")
                && rows.doubt(letter, "its row comes from a backup, and the letter may have been sent since")
        }
        return RepairNote(
            "letters that were queued since the backup are not sent, and \(count) of the backup may have been sent "
                + "since: `fundmail outbox list` shows those", isWhole: false)
    }
}
