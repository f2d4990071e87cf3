import FundCore

/// The mails and files that came into a person's funds between two points, as far as they are there and may be told,
/// and those that earlier digests passed over.
struct NewsRows {
    /// The ids that count: those above the first number, up to the second.
    struct Span {
        var emails: (after: Int64, until: Int64)
        var files: (after: Int64, until: Int64)
        /// Nothing counts that came before; nil for no such time.
        var since: Timestamp?
    }

    /// Things that an earlier digest passed over, since they were held back or their fund was archived.
    enum Late {
        /// No digest has told them yet.
        case untold
        /// This digest tells them.
        case told(by: Digest.ID)

        fileprivate var condition: String {
            switch self {
            case .untold: "digest_item.digest_id IS NULL"
            case .told(let digest): "digest_item.digest_id = \(digest)"
            }
        }
    }

    /// Rows of things that are told, and the values in them. `?1` is the user.
    private struct Source {
        var rows: String
        var arguments: SQLArguments

        /// The next placeholder behind the arguments.
        func next(_ number: Int) -> String { "?\(arguments.count + number)" }
    }

    let db: Database
    let user: User.ID
    let span: Span
    let late: Late
    let now: Timestamp

    private static let isSeen = "fund.deleted_at IS NULL AND fund.archived_at IS NULL"

    /// A store that was restored while the clock was ahead has a time to come: that one says nothing.
    private static func isLate(_ column: String) -> String { "(?4 IS NULL OR ?4 > ?5 OR \(column) >= ?4)" }

    private static func isHeld(_ blob: String) -> String {
        """
        EXISTS (SELECT 1 FROM blob JOIN quarantine ON quarantine.digest = blob.digest
            WHERE blob.id = \(blob) AND quarantine.released_at IS NULL)
        """
    }

    private static let isMailHeld =
        "EXISTS (SELECT 1 FROM attachment AS part WHERE part.email_id = email.id AND \(isHeld("part.blob_id")))"
    private static let isFileHeld = isHeld("file.blob_id")

    /// Mail and files of the span, whether or not they may be told.
    private static let spanOfMails = """
        FROM \(LibraryView.visibleFunds) \(SQL.thenJoin) \(SQL.table("email", using: "email_arrival"))
            ON email.fund_id = fund.id AND email.id > ?2 AND email.id <= ?3
        WHERE NOT \(Deletion.hasEmail) AND \(isLate("email.received_at"))
        """
    private static let spanOfFiles = """
        FROM \(LibraryView.visibleFunds) \(SQL.thenJoin) \(SQL.table("file", using: "file_from_others"))
            ON file.fund_id = fund.id AND file.is_from_others = 1 AND file.id > ?2 AND file.id <= ?3
        WHERE file.deleted_at IS NULL AND \(isLate("file.created_at"))
        """

    private static func lateRows(_ kind: ItemKind, _ late: Late) -> String {
        """
        FROM digest_item \(SQL.thenJoin) \(kind.table) ON \(kind.table).id = digest_item.item_id
            \(SQL.thenJoin) fund ON fund.id = \(kind.table).fund_id
        WHERE digest_item.user_id = ?1 AND digest_item.kind = \(kind.rawValue) AND \(late.condition)
            AND \(LibraryView.visible(as: "?1"))
        """
    }

    private var lateMails: Source {
        Source(
            rows: """
                \(Self.lateRows(.email, late)) AND \(Self.isSeen) AND NOT \(Deletion.hasEmail)
                    AND NOT \(Self.isMailHeld)
                """, arguments: [user])
    }

    private var lateFiles: Source {
        Source(
            rows: """
                \(Self.lateRows(.file, late)) AND \(Self.isSeen) AND file.deleted_at IS NULL AND NOT \(Self.isFileHeld)
                """, arguments: [user])
    }

    private var mails: [Source] {
        let rows = "\(Self.spanOfMails) AND \(Self.isSeen) AND NOT \(Self.isMailHeld)"
        return [Source(rows: rows, arguments: arguments(span.emails)), lateMails]
    }

    private var files: [Source] {
        let rows = "\(Self.spanOfFiles) AND \(Self.isSeen) AND NOT \(Self.isFileHeld)"
        return [Source(rows: rows, arguments: arguments(span.files)), lateFiles]
    }

    private func arguments(_ ids: (after: Int64, until: Int64)) -> SQLArguments {
        [user, ids.after, ids.until, span.since, now]
    }

    /// Time at which the first of them came; nil when there is nothing.
    func oldest() throws -> Timestamp? {
        let mail: [Timestamp?] = try mails.map {
            try db.value("SELECT min(email.received_at) \($0.rows)", $0.arguments)
        }
        let file: [Timestamp?] = try files.map { try db.value("SELECT min(file.created_at) \($0.rows)", $0.arguments) }
        return (mail + file).compactMap(\.self).min()
    }

    func isEmpty() throws -> Bool {
        try !(mails + files).contains { try db.exists("SELECT 1 \($0.rows)", $0.arguments) }
    }

    // MARK: Things that are passed over

    /// Notes that a digest tells what earlier ones passed over, and what it passes over itself: a digest that follows
    /// tells that once it is there for the person.
    func noteTold(by digest: Digest.ID) throws {
        for (kind, source) in [(ItemKind.email, lateMails), (.file, lateFiles)] {
            let ids: [Int64] = try db.values("SELECT \(kind.table).id \(source.rows)", source.arguments)
            try db.execute(
                """
                UPDATE digest_item SET digest_id = ?1
                WHERE user_id = ?2 AND kind = ?3 AND item_id \(SQL.isAmong("?4"))
                """, [digest, user, kind.rawValue, SQL.list(ids)])
        }
        let kinds = [
            (ItemKind.email, Self.spanOfMails, Self.isMailHeld, span.emails),
            (.file, Self.spanOfFiles, Self.isFileHeld, span.files),
        ]
        for (kind, rows, isHeld, ids) in kinds {
            try db.execute(
                """
                INSERT INTO digest_item (user_id, kind, item_id) SELECT ?1, \(kind.rawValue), \(kind.table).id
                \(rows) AND (NOT (\(Self.isSeen)) OR \(isHeld)) ON CONFLICT DO NOTHING
                """, arguments(ids))
        }
    }

    // MARK: Facts

    /// Nil when nothing is left to tell.
    func facts(for recipient: NotificationRecipient) throws -> NewsFacts? {
        let (mailCounts, fileCounts) = (try counts(mails), try counts(files))
        let ids = Set(mailCounts.keys).union(fileCounts.keys)
        guard !ids.isEmpty else { return nil }
        let names = try db.rows(
            "SELECT id, name FROM fund WHERE id \(SQL.isAmong("?1")) ORDER BY name, id",
            [SQL.list(ids.map(\.rawValue))]
        ) { (id: $0[0] as Fund.ID, name: $0[1] as String) }
        let funds = try names.prefix(NewsFacts.maxFunds).map { id, name in
            NewsFacts.Fund(
                id: id, name: name, mails: try mails(of: id), mailCount: mailCounts[id] ?? 0, files: try files(of: id),
                fileCount: fileCounts[id] ?? 0)
        }
        return NewsFacts(
            recipient: recipient, funds: funds, fundCount: ids.count, mailCount: mailCounts.values.reduce(0, +),
            fileCount: fileCounts.values.reduce(0, +))
    }

    private func counts(_ sources: [Source]) throws -> [Fund.ID: Int] {
        try sources.reduce(into: [:]) { counts, source in
            try db.forEach("SELECT fund.id, count(*) \(source.rows) GROUP BY fund.id", source.arguments) { row in
                counts[row[0], default: 0] += row[1] as Int
                return true
            }
        }
    }

    private func mails(of fund: Fund.ID) throws -> [NewsFacts.Mail] {
        let found = try mails.flatMap { source in
            try db.rows(
                """
                SELECT email.id, email.subject, (
                    SELECT count(*) FROM attachment \(SQL.thenJoin) file ON file.attachment_id = attachment.id
                    WHERE attachment.email_id = email.id AND file.deleted_at IS NULL)
                \(source.rows) AND fund.id = \(source.next(1)) ORDER BY email.id LIMIT \(source.next(2))
                """, source.arguments + [fund, NewsFacts.maxItems]
            ) { NewsFacts.Mail(id: $0[0], subject: $0[1], fileCount: $0[2]) }
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(NewsFacts.maxItems))
    }

    private func files(of fund: Fund.ID) throws -> [NewsFacts.File] {
        let found = try files.flatMap { source in
            try db.rows(
                """
                SELECT file.id, file.name, file.size \(source.rows) AND fund.id = \(source.next(1))
                ORDER BY file.id LIMIT \(source.next(2))
                """, source.arguments + [fund, NewsFacts.maxItems]
            ) { NewsFacts.File(id: $0[0], name: $0[1], size: $0[2]) }
        }
        return Array(found.sorted { $0.id < $1.id }.prefix(NewsFacts.maxItems))
    }
}
