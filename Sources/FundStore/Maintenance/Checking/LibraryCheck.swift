import FundCore

/// Rules between rows that no constraint of SQLite enforces.
enum LibraryCheck {
    /// Limit of rows that are named for one rule.
    private static let maxNamed = 100

    /// One sentence for each thing that is wrong.
    static func contradictions(_ db: Database) throws -> [String] {
        let recorded = ItemKind.inFunds.filter { $0 != .email }.map { kind in
            let table = kind.table
            return (
                key: "\(table) %d is deleted and its deletion is not recorded, or the other way round",
                value: """
                SELECT id FROM \(table) WHERE (deleted_at IS NOT NULL) <> EXISTS (
                    SELECT 1 FROM deletion WHERE kind = \(kind.rawValue) AND item_id = \(table).id)
                """
            )
        }
        let strays = ItemKind.inFunds.map { kind in
            let others = kind == .email ? " UNION \(emailsOfOthers)" : ""
            return (
                key: "\(kind.table) %d is of another person than its fund",
                value: "SELECT id FROM (\(StrayItems.strays(kind))) AS stray\(others)"
            )
        }
        let deletions = ItemKind.inFunds.map { kind in
            (
                key: "the deletion of \(kind.table) %d is another person's than its fund",
                value: """
                SELECT item_id FROM deletion JOIN \(kind.table) AS item ON item.id = item_id
                    JOIN fund ON fund.id = item.fund_id
                WHERE kind = \(kind.rawValue) AND deletion.owner_id <> fund.owner_id
                """
            )
        }
        let lacking = ItemKind.allCases.map { kind in
            (
                key: "\(kind.table) %d is not in the feed of each member of its fund",
                value: "SELECT item_id FROM (\(ChangeFeed.lacking(kind)))"
            )
        }
        let dangling = ItemKind.allCases.map { kind in
            (key: "\(kind.table) %d is deleted, and there is no such item", value: LooseReferences.dangling(kind))
        }
        // A page that cannot be read is told of by SQLite's own check.
        let byRules = try (recorded + strays + deletions + lacking + dangling + rules).flatMap { text, sql in
            try Database.readable(or: []) {
                try db.values("\(sql) LIMIT \(maxNamed)").map { (id: Int64) in text.replacing("%d", with: "\(id)") }
            }
        }
        return try byRules + Database.readable(or: []) { try misnamed(db) }
            + Database.readable(or: []) {
                try FundKeys.wrong(db).map { "fund \($0) is found under other names than its own" }
            }
            + Database.readable(or: []) {
                try FundMembers.wrong(db).map { "fund \($0) has another owner among its members" }
            }
            + Database.readable(or: []) {
                try FundUse.wrong(db).prefix(maxNamed).map { "fund \($0) counts other bytes than its files have" }
            }
    }

    /// Files and folders of which the name that is compared is not that of the name that is shown: one of them has
    /// changed.
    private static func misnamed(_ db: Database) throws -> [String] {
        try ["file", "folder"].flatMap { table in
            var found: [String] = []
            try db.forEach("SELECT id, name, name_key FROM \(table)") { row in
                let (name, key): (String, String) = (row[1], row[2])
                if FileName.key(name) != key {
                    found.append("\(table) \(row[0] as Int64) has another name than its key says")
                }
                return found.count < maxNamed
            }
            return found
        }
    }

    /// Emails of which the rows themselves, whatever feeds say, name another person than the owner of their fund.
    private static let emailsOfOthers =
        "SELECT email.id FROM email JOIN fund ON fund.id = email.fund_id WHERE email.user_id <> fund.owner_id"

    private static let rules: KeyValuePairs = [
        "segment %d has another number of needed bytes than its rows say": """
        SELECT number FROM segment LEFT JOIN (
            SELECT segment, sum(record_bytes) AS bytes FROM (\(RecordLocation.ofRows)) GROUP BY segment
        ) AS used ON used.segment = number WHERE live_bytes <> coalesce(bytes, 0)
        """,
        "file %d has another size than its content": """
        SELECT file.id FROM file JOIN blob ON blob.id = file.blob_id WHERE file.size <> blob.size
        """,
        "attachment %d has another size than its content": """
        SELECT attachment.id FROM attachment JOIN blob ON blob.id = attachment.blob_id
        WHERE attachment.size <> blob.size
        """,
        "letter %d sends a file of another size than its content": """
        SELECT letter_id FROM letter_attachment JOIN blob ON blob.id = blob_id WHERE letter_attachment.size <> blob.size
        """,
        "letter %d has no recipient": """
        SELECT id FROM letter WHERE NOT EXISTS (SELECT 1 FROM letter_recipient WHERE letter_id = letter.id)
        """,
        "the feed of a person who is no member of fund %d names it": """
        SELECT fund.id FROM fund JOIN change ON kind = \(ItemKind.fund.rawValue) AND item_id = fund.id
        WHERE NOT EXISTS (SELECT 1 FROM fund_member
            WHERE fund_member.user_id = change.user_id AND fund_member.fund_id = fund.id)
        """,
        "file %d lies in a folder that is deleted or of another fund": StrayItems.misplaced(.file),
        "folder %d lies in a folder that is deleted or of another fund": StrayItems.misplaced(.folder),
        "folder %d has the name of a file beside it": """
        SELECT folder.id FROM folder JOIN file ON file.fund_id = folder.fund_id
            AND \(ItemKind.file.parent) = \(ItemKind.folder.parent)
            AND file.name_key = folder.name_key AND file.deleted_at IS NULL
        WHERE folder.deleted_at IS NULL
        """,
        "email %d was made again without subject and text, which its raw message has": """
        SELECT id FROM email WHERE \(UnreadMail.condition)
        """,
        "email %d is not in the feed of changes": """
        SELECT id FROM email WHERE NOT EXISTS (
            SELECT 1 FROM change WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id)
        """,
        "file %d is not in the feed of changes": """
        SELECT id FROM file WHERE deleted_at IS NULL AND NOT EXISTS (
            SELECT 1 FROM change WHERE kind = \(ItemKind.file.rawValue) AND item_id = file.id)
        """,
        "folder %d lies in itself": """
        WITH RECURSIVE reached (id) AS (
            SELECT id FROM folder WHERE parent_id IS NULL
            UNION SELECT folder.id FROM reached JOIN folder ON folder.parent_id = reached.id)
        SELECT id FROM folder WHERE id NOT IN (SELECT id FROM reached)
        """,
    ]
}
