internal import GRDB
package import Ingest

extension FundStore: DeliveryLedger {
    package func deliveredPlaces(in mailbox: String, beginningWith prefix: String) throws -> [DeliveredPlace] {
        let prefix = prefix.cleaned
        let end = prefix.successorOfPrefix
        return try read("look up what was delivered from \(mailbox)") { db in
            let rows = try Row.fetchCursor(
                db.cachedStatement(sql: end == nil ? Self.placesFromSQL : Self.placesBetweenSQL),
                arguments: [mailbox.cleaned, prefix] + (end.map { [$0] } ?? []))
            var places: [DeliveredPlace] = []
            while let row = try rows.next() {
                places.append(
                    DeliveredPlace(place: row[0], announcedBytes: row[1], isRefusedUnseen: row[2], isFiled: row[3]))
            }
            return places
        }
    }

    /// A range of the index: LIKE and GLOB give wildcards a meaning, and may not use it.
    static let placesBetweenSQL = placesFromSQL + " AND delivery.place < ?"
    private static let placesFromSQL = """
        SELECT delivery.place, announced_bytes, delivery.is_header_only, message.outcome = 'filed' OR EXISTS (
            SELECT 1 FROM misroute WHERE misroute.message_id = message.id AND misroute.email_id IS NOT NULL)
        FROM delivery JOIN message ON message.id = delivery.message_id
        WHERE departed_at IS NULL AND delivery.mailbox = ? AND delivery.place >= ?
        """

    package func noteDeparted(_ places: [String], in mailbox: String) throws {
        guard !places.isEmpty else { return }
        try write("note what left \(mailbox)") { db in
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE delivery SET departed_at = ? WHERE mailbox = ? AND place = ? AND departed_at IS NULL
                    """)
            let now = currentSeconds()
            for place in places { try statement.execute(arguments: [now, mailbox.cleaned, place.cleaned]) }
        }
    }
}

extension String {
    /// The least text that is greater than every text that begins with this one, in the order of UTF-8 bytes; nil when there is
    /// none.
    var successorOfPrefix: String? {
        var scalars = Array(unicodeScalars)
        while let last = scalars.popLast() {
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1  // surrogates are no characters
            guard let next = Unicode.Scalar(next) else { continue }
            var text = String.UnicodeScalarView(scalars)
            text.append(next)
            return String(text)
        }
        return nil
    }
}
