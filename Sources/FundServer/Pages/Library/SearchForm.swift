internal import FundCore

/// The search in the address of the page of hits. A thing opened beside the hits leads to the hits before and
/// behind it.
struct SearchForm {
    static let kinds: [ItemKind] = [.file, .folder, .email, .note]
    /// Value of the field `type` for news, beside the names of kinds.
    static let news = "news"

    let words: String
    let kind: ItemKind?
    /// Whether items of news alone are wanted.
    let isOfNews: Bool
    let fund: Fund.ID?
    let sender: String?
    let days: DayRange

    /// A search for words alone.
    init(words: String) {
        self.words = words
        (kind, isOfNews, fund, sender, days) = (nil, false, nil, nil, DayRange())
    }

    init(_ query: QueryText) {
        words = query["q"] ?? ""
        kind = query.word("type").flatMap(ItemKind.init(name:)).flatMap { Self.kinds.contains($0) ? $0 : nil }
        isOfNews = query.word("type") == Self.news
        fund = query["fund"].flatMap { QueryText.number($0) }.map { Fund.ID($0) }
        sender = query["sender"]
        days = DayRange(query)
    }

    /// Nil without words.
    var query: SearchQuery? {
        guard !words.isEmpty else { return nil }
        var query = SearchQuery(text: words)
        (query.kind, query.fund, query.sender) = (kind, fund, sender)
        (query.since, query.until) = (days.since, days.until)
        return query
    }

    var fields: [(name: String, value: String?)] {
        [
            ("q", words), ("type", isOfNews ? Self.news : kind?.name), ("fund", fund?.description), ("sender", sender),
        ] + days.fields
    }

    /// Address of a search with these words for news alone.
    var addressOfNews: String {
        let fields = fields.filter { $0.name != "type" } + [("type", Self.news)]
        return "/library/search" + PageQueryText.text(fields)
    }

    /// Address of a hit: beside the hits, but for folders, whose pages lead to the next hit themselves.
    func address(of hit: SearchHit) -> String {
        switch hit.item {
        case .fund(let id): LibraryPaths.fund(id)
        case .folder(let id):
            LibraryPaths.with(
                LibraryPaths.folder(id, in: hit.fund),
                String(PageQueryText.text([("in", "search")] + fields).dropFirst()))
        case .file, .email, .note:
            // The page of a document on which the hit stands.
            ShownList.search(self).link(to: hit.item, [("page", hit.page.map { "\($0)" })])
                + (hit.page.map { "#p\($0)" } ?? "")
        }
    }

    func title(of hit: SearchHit, _ words: Words) -> String {
        // The fund stands beside it.
        hit.item.kind == .email
            ? words.subject(hit.title, withoutTagOf: [hit.fundName]) : words.title(hit.title, of: hit.item.kind)
    }
}
