internal import GRDB
import FundCore

/// What the index knows of one item.
struct SearchDocument: Sendable {
    /// More are no text but data.
    private static let maxWords = 20_000

    var item: LibraryItemID
    var fund: Fund.ID
    /// With those that say where it is and of which kind.
    var words: String
    /// Differs when the words do.
    var mark: Int64

    /// Every word stands in the index behind two characters that say whose it is. So each user has an index of their own: how
    /// long a search takes depends on their own documents only, and tells nothing of the words of others. The characters are for
    /// private use and thus part of no word; always two of them, since prefixes are indexed by their length in characters.
    /// Owners whose numbers are a multiple of 40,960,000 apart share an index, which costs time only: rows tell whose each item is.
    static func owner(_ user: User.ID) -> String {
        let number = UInt64(bitPattern: user.rawValue)
        let digits = [number / privateUseCount % privateUseCount, number % privateUseCount]
        return String(
            String.UnicodeScalarView(digits.compactMap { Unicode.Scalar(privateUse.lowerBound + UInt32($0)) }))
    }

    private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF
    private static let privateUseCount = UInt64(privateUse.count)

    /// Words that nobody can type, to be put behind the owner.
    static func fund(_ fund: Fund.ID) -> String { "\u{E000}f\(fund)" }
    static func kind(_ kind: ItemKind) -> String { "\u{E000}k\(kind.rawValue)" }

    init(_ source: SearchSource) {
        var words = SearchWords(maxWords: Self.maxWords)
        for text in source.texts { words.add(text) }
        if let html = source.html { words.add(VisibleText.of(html: html)) }
        let sorted = words.words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let owner = Self.owner(source.owner)
        self.item = source.item
        self.fund = source.fund
        self.words = ([Self.fund(source.fund), Self.kind(source.item.kind)] + sorted).map { owner + $0 }
            .joined(separator: " ")
        mark = ContentDigest.of(self.words.utf8).bytes.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

/// The texts of an item as its rows have them.
struct SearchSource: Sendable {
    /// Of all texts of an item: what comes after them is not found. 20,000 different words are in half of it in any language.
    private static let maxBytes = 1 << 20

    var item: LibraryItemID
    var owner: User.ID
    var fund: Fund.ID
    private(set) var texts: [String] = []
    private(set) var html: String?

    var bytes: Int { texts.reduce(html?.utf8.count ?? 0) { $0 + $1.utf8.count } }

    private init(_ item: LibraryItemID, owner: User.ID, fund: Fund.ID, texts: [String?], html: String? = nil) {
        self.item = item
        self.owner = owner
        self.fund = fund
        var room = Self.maxBytes
        for case let text? in texts where room > 0 {
            let text = text.prefix(bytes: room)
            room -= text.utf8.count
            self.texts.append(text)
        }
        self.html = html?.prefix(bytes: room)
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
                texts: [subject, sender] + names.map(Optional.init) + [text], html: html)
        }
    }

    private static func row(_ db: Database, _ sql: String, _ id: Int64) throws -> Row? {
        try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [id])
    }
}
