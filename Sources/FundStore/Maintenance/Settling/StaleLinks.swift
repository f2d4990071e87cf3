import FundCore

/// Share links that came from a backup in the place of lost ones: one that was live at that time may have been ended
/// since.
struct StaleLinks {
    let db: Database
    let losses: [TableLoss]

    /// Ends them; nil where no links were lost.
    func settle() throws -> RepairNote? {
        guard losses.concern("share_link") || losses.concern("share_item") else { return nil }
        try db.execute(
            "DELETE FROM main.share_item WHERE link_id NOT IN (SELECT id FROM main.share_link)")
        try db.execute("DELETE FROM main.share_use WHERE link_id NOT IN (SELECT id FROM main.share_link)")
        let links: [ShareLink.ID] = try db.values("SELECT id FROM main.share_link WHERE revoked_at IS NULL")
        let stale =
            losses.concern("share_item") ? links : links.filter { losses.contain($0.rawValue, of: "share_link") }
        for link in stale {
            try db.execute("UPDATE main.share_link SET revoked_at = ? WHERE id = ?", [Timestamp.now, link])
        }
        return RepairNote(
            "links that were made since the backup show nothing any more, and \(stale.count) of the backup may have "
                + "been ended since: they are ended, and their owners make new ones", isWhole: false)
    }
}
