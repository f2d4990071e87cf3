import FundCore

/// Webhooks of which rows were lost: one that a backup shows as on may have been paused, or led elsewhere, since.
struct StaleWebhooks {
    let db: Database
    let losses: [TableLoss]

    /// Pauses webhooks; nil where none were lost.
    func settle() throws -> RepairNote? {
        guard ["webhook", "webhook_delivery"].contains(where: { losses.concern($0) }) else { return nil }
        try db.execute(
            "DELETE FROM main.webhook_delivery WHERE webhook_id NOT IN (SELECT id FROM main.webhook)", [])
        let count = try db.execute("UPDATE main.webhook SET state = 'off' WHERE state = 'on'", [])
        return RepairNote(
            "\(count) webhooks may have been changed since the backup: they are paused, and their owners turn them on",
            isWhole: false)
    }
}
