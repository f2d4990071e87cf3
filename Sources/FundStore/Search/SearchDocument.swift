import FundCore

/// The words of one item, as the index has them.
struct SearchDocument: Sendable {
    /// Limit of distinct words of a document; more means data, not text.
    private static let maxWords = 20_000

    var item: LibraryItemID
    var fund: Fund.ID
    /// The words, with those that say where the item is and of which kind.
    var words: String
    /// Differs when the words do.
    var mark: Int64

    /// Every word stands in the index behind two characters that say whose it is. So each user has an index of their
    /// own: how long a search takes depends on their own documents only, and tells nothing of the words of others. The
    /// characters are for private use and thus part of no word; always two of them, since prefixes are indexed by their
    /// length in characters. Owners whose numbers are a multiple of 40,960,000 apart share an index, which costs time
    /// only: rows tell whose each item is.
    static func owner(_ user: User.ID) -> String {
        let number = UInt64(bitPattern: user.rawValue)
        let digits = [number / privateUseCount % privateUseCount, number % privateUseCount]
        return String(
            String.UnicodeScalarView(digits.compactMap { Unicode.Scalar(privateUse.lowerBound + UInt32($0)) }))
    }

    private static let privateUse: ClosedRange<UInt32> = 0xE000...0xF8FF
    private static let privateUseCount = UInt64(privateUse.count)

    /// Words with a private-use character, which no question can contain; they stand behind the owner.
    static func fund(_ fund: Fund.ID) -> String { "\u{E000}f\(fund)" }
    static func kind(_ kind: ItemKind) -> String { "\u{E000}k\(kind.rawValue)" }

    init(_ source: SearchSource, _ texts: FileTexts) {
        var source = source
        if let content = source.content, let text = texts(content) { source.add(text) }
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

    /// Writes the document in the place of what was indexed of the item.
    func store(_ db: Database) throws {
        try Self.remove(item, db)
        let number: ID<SearchDocument> = try db.insert(
            "INSERT INTO search_item (kind, item_id, fund_id, mark) VALUES (?, ?, ?, ?)",
            [item.kind.rawValue, item.number, fund, mark])
        try WordIndex.add(words, as: number, db)
    }

    static func remove(_ item: LibraryItemID, _ db: Database) throws {
        try db.execute("DELETE FROM search_item WHERE kind = ? AND item_id = ?", item.arguments)
    }
}

/// Gives what was read in a content; nil for nothing. Blocks.
typealias FileTexts = @Sendable (ContentDigest) -> FileText?

/// The texts of an item as its rows have them.
struct SearchSource: Sendable {
    /// Limit of the bytes of an item's texts: what comes after is not found. 20,000 different words are in half of it
    /// in any language.
    private static let maxBytes = 1 << 20

    var item: LibraryItemID
    var owner: User.ID
    var fund: Fund.ID
    private(set) var texts: [String] = []
    private(set) var html: String?
    /// Digest of a file's bytes.
    private(set) var content: ContentDigest?
    let change: Int64?

    var bytes: Int { texts.reduce(html?.utf8.count ?? 0) { $0 + $1.utf8.count } }

    /// Nil when the item is gone for good, or is none that is searched for.
    init?(_ db: Database, _ item: LibraryItemID) throws {
        let columns: String
        switch item.kind {
        case .fund: return nil
        case .folder, .file: columns = "item.name"
        case .note: columns = "item.title, item.body"
        case .email:
            columns = """
                CASE WHEN coalesce(item.text, '') = '' THEN item.html END, item.subject, item.from_address, item.text
                """
        }
        let row = try db.row(
            """
            SELECT fund.owner_id, fund.id, \(columns) FROM \(item.kind.table) AS item
            JOIN fund ON fund.id = item.fund_id WHERE item.id = ?
            """, [item.number])
        guard let row else { return nil }
        (self.item, owner, fund) = (item, row[0], row[1])
        change = try Self.change(of: item, db)
        if case .file(let id) = item {
            content = try db.value(
                "SELECT digest FROM blob JOIN file ON file.blob_id = blob.id WHERE file.id = ?", [id])
        }
        var found = (2..<row.count).map { row[$0] as String? }
        var html: String?
        if item.kind == .email {
            html = found.removeFirst()
            let names: [String] = try db.values("SELECT display_name FROM attachment WHERE email_id = ?", [item.number])
            found.insert(contentsOf: names.map(Optional.init), at: 2)
        }
        var room = Self.maxBytes
        for case let text? in found where room > 0 {
            let text = text.prefix(bytes: room)
            room -= text.utf8.count
            texts.append(text)
        }
        self.html = html?.prefix(bytes: room)
    }

    /// The latest change of an item in any feed; all of them have it from one transaction.
    static func change(of item: LibraryItemID, _ db: Database) throws -> Int64? {
        try db.value("SELECT max(seq) FROM change WHERE kind = ? AND item_id = ?", item.arguments)
    }

    /// Adds what was read in the file, as far as there is room.
    mutating func add(_ text: FileText) {
        var room = Self.maxBytes - bytes
        for page in text.pages where room > 0 {
            let text = page.text.prefix(bytes: room)
            room -= text.utf8.count
            texts.append(text)
        }
    }
}
