import FundCore

/// Writes up to where people are told by digests, within one write transaction.
struct DigestRows {
    let db: Database

    /// Ids of the last things that there are.
    struct Ends {
        /// The id of an email, or of a kept message.
        var last: Int64
        /// The id of a file; 0 for the desk.
        var lastFile: Int64
    }

    static func ends(of kind: Digest.Kind, _ db: Database) throws -> Ends {
        func last(_ table: StaticString) throws -> Int64 { try db.value("SELECT max(id) FROM \(table)") ?? 0 }
        return switch kind {
        case .news: Ends(last: try last("email"), lastFile: try last("file"))
        case .desk: Ends(last: try last("misroute"), lastFile: 0)
        }
    }

    /// From now on a person is told: of nothing that is here by now, and first when the next period begins.
    func begin(_ kind: Digest.Kind, of user: User.ID) throws {
        let ends = try Self.ends(of: kind, db)
        try db.execute(
            """
            INSERT INTO digest_progress (kind, user_id, last_id, last_file_id) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind, user_id) DO UPDATE SET period = NULL, digest_id = NULL, last_id = excluded.last_id,
                last_file_id = excluded.last_file_id, since = NULL
            """, [kind.rawValue, user, ends.last, ends.lastFile])
        if kind == .news { try db.execute("DELETE FROM digest_item WHERE user_id = ?", [user]) }
    }

    /// The periods of a person are others from now on; what they were not told yet stays to be told.
    func changePace(of user: User.ID) throws {
        try db.execute(
            "UPDATE digest_progress SET period = NULL WHERE kind = ? AND user_id = ?",
            [Digest.Kind.news.rawValue, user])
    }

    /// Lets no digest tell of what came before now: the rows are of an earlier state of the store, and what was not
    /// told then may have been told since.
    func beginAnew(now: Timestamp) throws {
        for kind in Digest.Kind.allCases {
            let ends = try Self.ends(of: kind, db)
            try db.execute(
                """
                UPDATE digest_progress SET period = NULL, digest_id = NULL, last_id = ?, last_file_id = ?, since = ?
                WHERE kind = ?
                """, [ends.last, ends.lastFile, now, kind.rawValue])
        }
        try db.execute("DELETE FROM digest_item")
    }

    /// Gives no digest an id that a letter has: where rows of digests are lost, their letters may be there.
    func passLetters() throws {
        let kinds = Digest.Kind.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        let last: Int64? = try db.value("SELECT max(cause) FROM outbox WHERE kind IN (\(kinds))")
        try db.raiseLastNumber(of: "digest", to: last ?? 0)
    }

    /// Digests of a person that are kept whatever their time: more than come within a day.
    private static let kept = 50

    /// Removes digests of before `time` that have no letter any more. The latest of each person stay: a clock that was
    /// ahead makes all of them old, and when it is right again, none of their periods is told once more.
    func forget(before time: Timestamp) throws {
        try db.execute(
            """
            DELETE FROM digest WHERE at < ?1
                AND NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.kind = digest.kind AND cause = digest.id)
                AND id <= (
                    SELECT id FROM digest AS later WHERE later.kind = digest.kind AND later.user_id = digest.user_id
                    ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """, [time, Self.kept])
        try db.execute(
            """
            DELETE FROM digest_item WHERE digest_id IS NOT NULL AND digest_id NOT IN (SELECT id FROM digest)
                OR kind = \(ItemKind.email.rawValue) AND item_id NOT IN (SELECT id FROM email)
                OR kind = \(ItemKind.file.rawValue) AND item_id NOT IN (SELECT id FROM file)
            """)
    }
}
