import FundCore

/// The condition of a `FileFilter` on rows of `file`. Rows come from the index of their order, and most filters are
/// asked of each until a page is full. Files of a sender who wrote few emails are found by those emails, and few files
/// of some days by their times.
struct FileCondition {
    /// Limit of emails or files up to which a list begins with them.
    private static let maxFew = 1000

    private let filter: FileFilter
    /// In lower case; nil for any.
    private let sender: String?
    private let isOfFew: Bool
    /// The column of the times: with a sign before it an index does not serve it.
    private let time: String

    /// - Parameter hasOrderOfTimes: whether the list is in the order of the files' times.
    init(
        _ filter: FileFilter, in place: LibraryPlace, hasOrderOfTimes: Bool, _ view: LibraryView
    ) throws {
        self.filter = filter
        sender = filter.sender.flatMap { $0.isEmpty ? nil : $0.lowercased() }
        isOfFew =
            try sender.map { sender in
                // All that it asks is in this index.
                let count: Int? = try view.db.value(
                    """
                    SELECT count(*) FROM (SELECT 1 FROM \(SQL.table("email", using: "email_user"))
                        WHERE email.user_id = ?1 AND \(Self.isSender("?2")) \(SQL.limit(Self.maxFew + 1))) AS found
                    """, [view.user, sender])
                return count ?? 0 <= Self.maxFew
            } ?? false
        let isOfDays = filter.since != nil || filter.until != nil
        let servesTimes = try !isOfDays || hasOrderOfTimes || Self.isOfFewDays(filter, in: place, view)
        time = servesTimes ? "file.modified_at" : "+file.modified_at"
    }

    private static func isOfFewDays(_ filter: FileFilter, in place: LibraryPlace, _ view: LibraryView) throws -> Bool {
        let count: Int? = try view.db.value(
            """
            SELECT count(*) FROM (SELECT 1 FROM \(SQL.table("file", using: "file_modified"))
                WHERE fund_id = ?1 AND \(ItemKind.file.parent) = ?2 AND deleted_at IS NULL
                    AND modified_at >= ?3 AND modified_at < ?4 \(SQL.limit(maxFew + 1))) AS found
            """, place.arguments + [filter.since ?? Timestamp(.min), filter.until ?? Timestamp(.max)])
        return count ?? 0 <= maxFew
    }

    /// Narrows a condition down; `?1` is the user, `arguments` follow.
    func add(to condition: inout String, _ arguments: inout SQLArguments) {
        func place(_ value: any SQLValue) -> String {
            arguments.append(value)
            return "?\(arguments.count + 1)"
        }
        if let kind = filter.kind { condition += " AND \(Self.isOf(kind))" }
        if let since = filter.since { condition += " AND \(time) >= \(place(since))" }
        if let until = filter.until { condition += " AND \(time) < \(place(until))" }
        guard let sender else { return }
        let isSender = Self.isSender(place(sender))
        condition +=
            isOfFew
            ? """
             AND file.id IN (SELECT came.id FROM \(SQL.table("email", using: "email_user"))
                \(SQL.thenJoin) attachment ON attachment.email_id = email.id
                \(SQL.thenJoin) file AS came ON came.attachment_id = attachment.id
                WHERE email.user_id = ?1 AND \(isSender))
            """
            : """
             AND EXISTS (SELECT 1 FROM attachment \(SQL.thenJoin) email ON email.id = attachment.email_id
                WHERE attachment.id = file.attachment_id AND email.user_id = ?1 AND \(isSender))
            """
    }

    private static func isSender(_ placeholder: String) -> String {
        SQL.contains("lower(email.from_address)", placeholder)
    }

    // MARK: Kinds

    private static func isOf(_ kind: FileFilter.Kind) -> String {
        guard kind == .other else { return ends(in: kind.extensions) }
        return "NOT \(ends(in: FileFilter.Kind.allCases.flatMap(\.extensions)))"
    }

    /// Whether a name ends in one of these extensions: one comparison for each length.
    private static func ends(in extensions: [String]) -> String {
        let key = "file.name_key"
        let terms = Dictionary(grouping: extensions, by: \.utf8.count).sorted { $0.key < $1.key }.map {
            length, endings in
            let list = endings.map { "'.\($0)'" }.joined(separator: ", ")
            // Something stands before the dot.
            return "(length(\(key)) > \(length + 1) AND substr(\(key), length(\(key)) - \(length)) IN (\(list)))"
        }
        return "(\(terms.joined(separator: " OR ")))"
    }
}
