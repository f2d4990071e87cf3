import FundCore

/// Queries for what other rows say of columns that indexes hold: of the row with the key `?1` (`?2`), NULL where they
/// say nothing. `?3` and `?4` are what the row and an index say.
enum RowWitnesses {
    /// Tables whose indexes are compared with their rows: what people have, and what became of mail. Of the rest the
    /// rows are believed. The feed comes first: what is put back in other rows numbers changes.
    static let tables = [
        "change", "user", "address", "fund", "fund_alias", "token", "learnt", "folder", "file", "email", "attachment",
        "note",
        "blob", "message", "misroute", "deletion", "departure", "audit", "desk_step",
    ]

    /// Name of the pseudo-column that says whether a row is there.
    static let existence = "row"

    /// - Parameter isOld: whether the row itself may be an old one, so that none of its own columns says anything.
    static func of(_ column: String, in table: String, isOld: Bool) -> [String] {
        (all["\(table).\(column)"] ?? []) + (isOld ? [] : ofRow["\(table).\(column)"] ?? [])
    }

    /// Whether it matters little what a column says: where an index alone says otherwise, the row is believed.
    static func isMarginal(_ column: String) -> Bool { marginal.contains(column) }

    /// Whether an unneeded row of a table gives nothing to any person.
    static func isHarmless(_ table: String) -> Bool { table == "blob" || table == "message" }

    private static let marginal: Set = [
        "modified_at", "received_at", "from_address", "internet_message_id", "cause", "put_off_until", "resolved_at",
        "expires_at", "at", "actor", "action", "kind", "fingerprint",
    ]

    private static let all: [String: [String]] = [
        "email.user_id": [
            feed(.email), "SELECT owner_id FROM fund WHERE id = (SELECT fund_id FROM email WHERE id = ?1)",
        ],
        "fund.owner_id": [
            feed(.fund),
            "SELECT user_id FROM fund_member WHERE fund_id = ?1 AND role = '\(FundRole.owner.rawValue)'",
            "SELECT user_id FROM email WHERE fund_id = ?1 GROUP BY user_id ORDER BY count(*) DESC LIMIT 1",
        ],
        // Where the members of the fund are lost, whose mail or note it is.
        "change.user_id": [
            """
            SELECT CASE kind WHEN \(ItemKind.email.rawValue) THEN (SELECT user_id FROM email WHERE id = item_id)
                WHEN \(ItemKind.note.rawValue) THEN (SELECT user_id FROM note WHERE id = item_id) END
            FROM change WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM fund_member WHERE fund_id = \(fundOfItem))
            """
        ],
        // The later one, unless it was never given.
        "change.seq": [
            """
            SELECT max(number) FROM (SELECT ?3 AS number UNION ALL SELECT ?4)
            WHERE number <= (SELECT last FROM feed JOIN change ON change.user_id = feed.user_id WHERE change.id = ?1)
            """
        ],
        "deletion.owner_id": [
            """
            SELECT owner_id FROM fund
            WHERE id = (SELECT \(fundOfItem) FROM deletion WHERE kind = ?1 AND item_id = ?2)
            """
        ],
        "file.\(existence)": [
            "SELECT CASE WHEN deleted_at IS NOT NULL THEN \(isDeleted(.file)) END FROM file WHERE id = ?1"
        ],
        "file.deleted_at IS NULL": ["SELECT NOT \(isDeleted(.file))"],
        "folder.deleted_at IS NULL": ["SELECT NOT \(isDeleted(.folder))"],
        // An attachment that is gone is no longer referred to.
        "file.attachment_id": [
            "SELECT 'other' WHERE coalesce(?4, 0) <> 0 AND NOT EXISTS (SELECT 1 FROM attachment WHERE id = ?4)"
        ],
        "deletion.purged_at IS NULL": [
            """
            SELECT CASE ?1
                WHEN \(ItemKind.file.rawValue) THEN EXISTS (SELECT 1 FROM file WHERE id = ?2 AND name <> '')
                WHEN \(ItemKind.folder.rawValue) THEN EXISTS (SELECT 1 FROM folder WHERE id = ?2 AND name <> '')
                WHEN \(ItemKind.note.rawValue)
                    THEN EXISTS (SELECT 1 FROM note WHERE id = ?2 AND (title <> '' OR body <> ''))
                WHEN \(ItemKind.email.rawValue) THEN EXISTS (SELECT 1 FROM email WHERE id = ?2
                    AND coalesce(subject, from_address, text, html) IS NOT NULL) END
            """
        ],
        "misroute.email_id": [email()], "misroute.resolution IS NULL": ["SELECT 0 FROM (\(email()))"],
        "message.outcome <> 'filed'": ["SELECT NOT EXISTS (SELECT 1 FROM email WHERE message_id = ?1)"],
    ]

    private static let ofRow: [String: [String]] = [
        "file.blob_id": [ofSize("file")], "attachment.blob_id": [ofSize("attachment")],
        "file.size": ["SELECT size FROM blob WHERE id = (SELECT blob_id FROM file WHERE id = ?1)"],
    ]

    /// The one person in whose feed an item is; several say nothing.
    private static func feed(_ kind: ItemKind) -> String {
        """
        SELECT CASE count(*) WHEN 1 THEN max(user_id) END FROM change
        WHERE kind = \(kind.rawValue) AND item_id = ?1
        """
    }

    /// The query that decides on a column of which indexes say other things, because its rows follow from others; nil
    /// for most columns, and its answer is NULL where it does not tell. It outweighs the indexes: the one that keeps a
    /// row unique changes with a row that is written wrongly, and says the same as that.
    static func proof(of column: String, in table: String) -> String? { proofs["\(table).\(column)"] }

    private static let proofs = [
        // An item is in the feeds of the members of its fund alone.
        "change.user_id": """
        SELECT CASE count(*) WHEN 1 THEN max(user_id) END FROM fund_member
        WHERE user_id IN (?3, ?4) AND fund_id = (SELECT \(fundOfItem) FROM change WHERE id = ?1)
        """
    ]

    private static let fundOfItem =
        "CASE kind WHEN \(ItemKind.fund.rawValue) THEN item_id "
        + ItemKind.inFunds.map {
            "WHEN \($0.rawValue) THEN (SELECT fund_id FROM \($0.table) WHERE id = item_id) "
        }.joined() + "END"

    /// The one of two contents that has the size that the row has.
    private static func ofSize(_ table: String) -> String {
        """
        SELECT CASE WHEN count(*) = 1 THEN max(blob.id) END FROM blob JOIN \(table) ON \(table).id = ?1
            AND \(table).size = blob.size
        WHERE blob.id IN (?3, ?4)
        """
    }

    private static func isDeleted(_ kind: ItemKind) -> String {
        "EXISTS (SELECT 1 FROM deletion WHERE kind = \(kind.rawValue) AND item_id = ?1)"
    }

    /// The email that a kept message was filed as.
    private static func email(_ misroute: String = "?1") -> String {
        "SELECT id FROM email WHERE message_id = (SELECT message_id FROM misroute AS kept WHERE kept.id = \(misroute))"
    }

    /// Whether other rows need one of which nothing but an index is left, or it cannot have been removed.
    static func isNeeded(_ key: RowKey, _ db: Database) throws -> Bool? {
        let id = key.values[0]
        switch key.table {
        case "blob":
            return try db.value(
                """
                SELECT EXISTS (SELECT 1 FROM file WHERE blob_id = ?1)
                    OR EXISTS (SELECT 1 FROM attachment WHERE blob_id = ?1)
                    OR EXISTS (SELECT 1 FROM message_blob WHERE blob_id = ?1)
                    OR EXISTS (SELECT 1 FROM letter_attachment WHERE blob_id = ?1)
                """, [id])
        case "message":
            return try db.value(
                """
                SELECT EXISTS (SELECT 1 FROM email WHERE message_id = ?1)
                    OR EXISTS (SELECT 1 FROM misroute WHERE message_id = ?1)
                """, [id])
        default: return RowChecks.covers(key.table) ? try RowChecks.isKept(id, of: key.table, db) : nil
        }
    }

    /// SQL that sets a column which needs more than its value; nil where the indexes do not tell all of it.
    static func setting(_ column: String, in table: String, to value: String) -> String? {
        switch ("\(table).\(column)", value) {
        // The name as it was shown is gone with the row.
        case ("file.name_key", _), ("folder.name_key", _): "name = \(value), name_key = \(value)"
        case ("file.deleted_at IS NULL", "1"), ("folder.deleted_at IS NULL", "1"): "deleted_at = NULL"
        case ("file.deleted_at IS NULL", "0"), ("folder.deleted_at IS NULL", "0"):
            "deleted_at = (\(deletion(table, "\(table).id")))"
        case ("misroute.resolution IS NULL", "1"):
            "resolution = NULL, email_id = NULL, note = NULL, resolved_at = NULL, resolved_by = NULL"
        case ("misroute.resolution IS NULL", "0"):
            """
            email_id = coalesce(email_id, (\(email("misroute.id")))),
            resolution = CASE WHEN coalesce(email_id, (\(email("misroute.id")))) IS NULL THEN 'rejected'
                ELSE 'filed' END,
            resolved_by = coalesce(resolved_by, (SELECT actor FROM (\(rejection("misroute.id"))))),
            note = coalesce(note, (SELECT detail FROM audit WHERE action = '\(AuditAction.misrouteReject.rawValue)'
                AND subject = 'misrouted ' || misroute.id ORDER BY audit.id DESC LIMIT 1))
            """
        case ("deletion.purged_at IS NULL", "1"): "purged_at = NULL"
        case ("deletion.purged_at IS NULL", "0"): "purged_at = at"
        case ("message.outcome <> 'filed'", "0"): "outcome = 'filed', reason = NULL"
        default: nil
        }
    }

    /// The rows of which `setting` makes use; nil for none.
    static func need(of column: String, in table: String, to value: String) -> String? {
        switch ("\(table).\(column)", value) {
        case ("file.deleted_at IS NULL", "0"), ("folder.deleted_at IS NULL", "0"): deletion(table, "?1")
        case ("misroute.resolution IS NULL", "0"):
            "SELECT 1 FROM misroute WHERE id = ?1 AND email_id IS NOT NULL UNION ALL \(email()) "
                + "UNION ALL SELECT at FROM (\(rejection("?1")))"
        default: nil
        }
    }

    private static func deletion(_ table: String, _ id: String) -> String {
        let kind = table == "file" ? ItemKind.file : .folder
        return "SELECT at FROM deletion WHERE kind = \(kind.rawValue) AND item_id = \(id)"
    }

    /// The act by which a message was put aside.
    private static func rejection(_ misroute: String) -> String {
        """
        SELECT at, actor FROM desk_step JOIN desk_act ON desk_act.id = act_id
        WHERE misroute_id = \(misroute) AND desk_step.kind = '\(DeskRows.StepKind.reject.rawValue)'
            AND undone_at IS NULL
        """
    }

    /// A row made of what the indexes of its table hold of it; nil where they do not hold all of it.
    static func making(_ key: RowKey, _ values: [String: String]) -> String? {
        func insert(_ columns: [String], _ others: KeyValuePairs<String, String> = [:]) -> String? {
            let own = Dictionary(uniqueKeysWithValues: zip(key.names, key.values.map(String.init)))
            let found = columns.compactMap { values[$0] ?? own[$0] ?? ($0 == "id" ? own["rowid"] : nil) }
            guard found.count == columns.count else { return nil }
            return """
                INSERT INTO \(key.table) (\((columns + others.map(\.key)).joined(separator: ", ")))
                SELECT \((found + others.map(\.value)).joined(separator: ", "))
                WHERE \(found.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")) ON CONFLICT DO NOTHING
                """
        }
        switch key.table {
        case "change": return insert(["id", "user_id", "seq", "kind", "item_id"])
        case "departure": return insert(["owner_id", "seq", "kind", "item_id", "turn"])
        case "deletion":
            let purgedAt = values["purged_at IS NULL"] == "1" ? "NULL" : values["at"]
            let columns = ["kind", "item_id", "owner_id", "at", "root_kind", "root_id"]
            return purgedAt.flatMap { insert(columns, ["purged_at": $0]) }
        default: return nil
        }
    }
}
