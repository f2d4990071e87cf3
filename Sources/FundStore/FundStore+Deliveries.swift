internal import GRDB
package import FundCore

extension FundStore: DeliveryLedger {
    package func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace] {
        try read("look up what was delivered from \(mailbox)") { db in
            let rows = try Row.fetchCursor(db.cachedStatement(sql: Self.placesSQL), arguments: [mailbox.cleaned])
            var places: [DeliveredPlace] = []
            while let row = try rows.next() {
                places.append(
                    DeliveredPlace(
                        place: row[0], announcedBytes: row[1], isRefusedUnseen: row[2], isFiled: row[3],
                        hasSizeMismatch: row[4]))
            }
            return places
        }
    }

    static let placesSQL = """
        SELECT delivery.place, announced_bytes, delivery.is_header_only, message.outcome = 'filed' OR EXISTS (
            SELECT 1 FROM misroute WHERE misroute.message_id = message.id AND misroute.email_id IS NOT NULL),
            has_size_mismatch
        FROM delivery JOIN message ON message.id = delivery.message_id
        WHERE departed_at IS NULL AND delivery.mailbox = ?
        """

    package func noteDeparted(_ places: [String], in mailbox: String) throws {
        guard !places.isEmpty else { return }
        try write("note what left \(mailbox)", .reserve) { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE delivery SET departed_at = ? WHERE mailbox = ? AND place = ? AND departed_at IS NULL
                    """)
            let now = currentSeconds()
            for place in places { try statement.execute(arguments: [now, mailbox.cleaned, place.cleaned]) }
        }
    }
}
