import FundCore

/// The excerpts of one page of hits, which are the user's own.
struct HitExcerpts {
    /// Limit of the bytes of one text: matches that lie behind are not shown.
    private static let maxTextBytes = 64 << 10
    /// Limit for a text with markup, which takes more.
    private static let maxMarkupBytes = 128 << 10
    /// Bytes that are still read of a text when `room` is used up: its beginning is shown.
    private static let minTextBytes = 1 << 10
    private static let maxNames = 100

    private let view: LibraryView
    private let finder: ExcerptFinder
    private let texts: FileTexts
    /// Bytes of texts that may be looked through for the rest of the page. Milliseconds, whatever the texts are.
    private var room = 1 << 20

    init(view: LibraryView, question: String, texts: @escaping FileTexts) {
        self.view = view
        self.texts = texts
        finder = ExcerptFinder(question: question)
    }

    /// Adds the excerpt to a hit: around the first match in the text, else in the names that belong to it, else in the
    /// title; the beginning of the text when no match is found.
    mutating func add(to hit: inout SearchHit) throws {
        if case .file(let id) = hit.item, let found = try excerpt(of: id) {
            (hit.excerpt, hit.page) = found
        } else {
            hit.excerpt = try excerpt(of: hit)
        }
    }

    /// The text of a file around the first match, with the number of its page. Nil when no match is in it.
    private mutating func excerpt(of file: FileEntry.ID) throws -> ([ExcerptPiece], page: Int?)? {
        let digest: ContentDigest? = try view.db.value(
            "SELECT digest FROM blob JOIN file ON file.blob_id = blob.id WHERE file.id = ?", [file])
        guard let digest, let text = texts(digest) else { return nil }
        for page in text.pages where room > 0 {
            let text = page.text.prefix(bytes: room)
            room -= text.utf8.count
            if let found = finder.excerpt(of: text) { return (found, page.number) }
        }
        return nil
    }

    private mutating func excerpt(of hit: SearchHit) throws -> [ExcerptPiece] {
        let text = try text(of: hit.item)
        if let text, let found = finder.excerpt(of: text) { return found }
        for name in try names(of: hit.item) + [hit.title] {
            if let found = finder.excerpt(of: name.prefix(bytes: Self.maxTextBytes)) { return found }
        }
        return finder.beginning(of: text ?? hit.title.prefix(bytes: Self.maxTextBytes))
    }

    /// The text of an item; nil when it has none.
    private mutating func text(of item: LibraryItemID) throws -> String? {
        switch item {
        case .note(let id): return try read("body", of: .note, id.rawValue, upTo: Self.maxTextBytes)
        case .email(let id):
            // `SearchSource` takes the text in the same order.
            if let text = try read("text", of: .email, id.rawValue, upTo: Self.maxTextBytes) { return text }
            let markup = try read("html", of: .email, id.rawValue, upTo: Self.maxMarkupBytes)
            return markup.map(VisibleText.of(html:)).flatMap { $0.isEmpty ? nil : $0 }
        case .fund, .folder, .file: return nil
        }
    }

    private mutating func read(
        _ column: String, of kind: ItemKind, _ row: Int64, upTo limit: Int
    ) throws -> String? {
        let count = min(limit, max(room, Self.minTextBytes))
        guard let bytes = try view.db.beginning(of: column, in: kind.table, row: row, bytes: count), !bytes.isEmpty
        else { return nil }
        room = max(0, room - bytes.count)
        var text = String(decoding: bytes, as: UTF8.self)
        // The cut may be within a character.
        if bytes.count == count, text.unicodeScalars.last == "\u{FFFD}" { text.unicodeScalars.removeLast() }
        return text
    }

    private func names(of item: LibraryItemID) throws -> [String] {
        guard case .email(let id) = item else { return [] }
        let files: [String] = try view.db.values(
            "SELECT display_name FROM attachment WHERE email_id = ? ORDER BY id LIMIT \(Self.maxNames)", [id])
        let sender: String? = try view.db.value("SELECT from_address FROM email WHERE id = ?", [id])
        return files + [sender].compactMap { $0 }
    }
}
