import FundCore

/// Transfers between drives and funds of which rows were lost: what a backup shows as waiting may have been done since,
/// and files that arrived may not be noted.
struct StaleTransfers {
    let db: Database
    let losses: [TableLoss]

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
