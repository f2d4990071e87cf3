internal import GRDB
import Ingest

/// What the index knows of one item.
struct SearchDocument: Sendable {
    /// More are no text but data.
    private static let maxWords = 20_000

    var item: LibraryItemID
    var fund: Fund.ID
    /// With those that say whose it is, where it is and of which kind.
    var words: String
    /// Differs when the words do.
    var mark: Int64

    /// Words that nobody can type: a character for private use is no part of a word.
    static func owner(_ user: User.ID) -> String { "\u{E000}u\(user)" }
    static func fund(_ fund: Fund.ID) -> String { "\u{E000}f\(fund)" }
    static func kind(_ kind: ItemKind) -> String { "\u{E000}k\(kind.rawValue)" }

    private init(_ item: LibraryItemID, owner: User.ID, fund: Fund.ID, texts: [String?]) {
        var words = SearchWords(maxWords: Self.maxWords)
        for case let text? in texts { words.add(text) }
        let sorted = words.words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self.item = item
        self.fund = fund
        self.words = ([Self.owner(owner), Self.fund(fund), Self.kind(item.kind)] + sorted).joined(separator: " ")
        mark = ContentDigest.of(self.words.utf8).bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    /// Nil when the item is gone for good, or is none that is searched for.
    init?(_ db: Database, _ item: LibraryItemID) throws {
        let id = item.number
        switch item {
        case .fund: return nil
        case .folder:
            guard
                let row = try Self.row(
                    db,
                    """
                    SELECT fund.owner_id, fund.id, folder.name FROM folder JOIN fund ON fund.id = folder.fund_id
                    WHERE folder.id = ?
                    """, id)
            else { return nil }
            self.init(item, owner: row[0], fund: row[1], texts: [row[2]])
        case .file:
            guard
                let row = try Self.row(
                    db,
                    """
                    SELECT fund.owner_id, fund.id, file.name FROM file JOIN fund ON fund.id = file.fund_id
                    WHERE file.id = ?
                    """, id)
            else { return nil }
            self.init(item, owner: row[0], fund: row[1], texts: [row[2]])
        case .note:
            guard
                let row = try Self.row(
                    db,
                    """
                    SELECT fund.owner_id, fund.id, note.title, note.body FROM note JOIN fund ON fund.id = note.fund_id
                    WHERE note.id = ?
                    """, id)
            else { return nil }
            self.init(item, owner: row[0], fund: row[1], texts: [row[2], row[3]])
        case .email:
            guard
                let row = try Self.row(
                    db,
                    """
                    SELECT fund.owner_id, fund.id, email.subject, email.from_address, email.text,
                        CASE WHEN ifnull(email.text, '') = '' THEN email.html END
                    FROM email JOIN fund ON fund.id = email.fund_id WHERE email.id = ?
                    """, id)
            else { return nil }
            let names = try String.fetchAll(
                db.cachedStatement(sql: "SELECT display_name FROM attachment WHERE email_id = ?"), arguments: [id])
            // Each may be missing, and a row that is asked for a text that it has not ends the process.
            let (subject, sender, text, html): (String?, String?, String?, String?) = (row[2], row[3], row[4], row[5])
            self.init(
                item, owner: row[0], fund: row[1],
                texts: [subject, sender] + names.map(Optional.init) + [text, html.map { VisibleText.of(html: $0) }])
        }
    }

    private static func row(_ db: Database, _ sql: String, _ id: Int64) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [id])
    }
}
