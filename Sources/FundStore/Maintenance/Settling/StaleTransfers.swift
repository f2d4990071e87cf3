import FundCore

/// Transfers between drives and funds of which rows were lost: what a backup shows as waiting may have been done since,
/// and files that arrived may not be noted.
///
/// Watched folders of which rows were lost are paused for the same reason.
struct StaleTransfers {
    let db: Database
    let losses: [TableLoss]

    /// Pauses watched folders; nil where none were lost.
    func pauseWatches() throws -> RepairNote? {
        guard ["drive_watch", "drive_watch_file"].contains(where: { losses.concern($0) }) else { return nil }
        try db.execute("DELETE FROM main.drive_watch WHERE drive_id NOT IN (SELECT id FROM main.drive)", [])
        try db.execute(
            "DELETE FROM main.drive_watch_file WHERE watch_id NOT IN (SELECT id FROM main.drive_watch)", [])
        let count = try db.execute(
            "UPDATE main.drive_watch SET state = 'paused', revision = revision + 1 WHERE state = 'on'", [])
        return RepairNote(
            "\(count) watched folders of drives may have filed files since the backup: they are paused, and their "
                + "owners turn them on", isWhole: false)
    }

    /// Ends those that wait; nil where no transfers were lost.
    func settle() throws -> RepairNote? {
        let tables = ["drive_transfer", "drive_transfer_part", "drive_transfer_file", "drive_transfer_target"]
        guard tables.contains(where: { losses.concern($0) }) else { return nil }
        for table in tables.dropFirst() {
            try db.execute(
                "DELETE FROM main.\(table) WHERE transfer_id NOT IN (SELECT id FROM main.drive_transfer)")
        }
        let count = try db.execute(
            "UPDATE main.drive_transfer SET state = 'cancelled', ended_at = ? WHERE ended_at IS NULL",
            [Timestamp.now])
        return RepairNote(
            "\(count) transfers between drives and funds that waited may have been done since the backup: they are "
                + "cancelled, and their owners begin them anew", isWhole: false)
    }
}
