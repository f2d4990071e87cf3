internal import FundCore

/// Items of news that a search finds, each in the list that has it.
struct FoundNews {
    /// Items that stand above the other hits.
    private static let count = 3

    let page: ListPage<NewsHit>
    private let form: SearchForm
    private let call: PageCall

    /// - Parameter query: of the form, with the section that is wanted.
    init(_ query: SearchQuery, _ form: SearchForm, _ call: PageCall) async throws {
        let isOn = call.parts.newsIsOn()
        page = isOn ? try await call.news.newsHits(query, of: try call.userID) : ListPage(items: [], next: nil)
        (self.form, self.call) = (form, call)
    }

    /// The first items, for a list that has others, too.
    init(first query: SearchQuery, _ form: SearchForm, _ call: PageCall) async throws {
        var query = query
        (query.limit, query.cursor) = (Self.count, nil)
        try await self.init(query, form, call)
    }

    /// For the template `newsrow`. Items are opened in their list, filtered by the words.
    var rows: [PageModel] {
        page.items.map { NewsRow.model($0.item, in: shelf(of: $0), isOpen: false, call) }
    }

    func address(of hit: NewsHit) -> String { shelf(of: hit).link(to: hit.item.id) }

    private func shelf(of hit: NewsHit) -> NewsShelf {
        NewsShelf(hit.list, filter: NewsFilter(list: hit.list, words: form.words))
    }

    /// For the section of the template `search`; nil when nothing is found.
    var section: PageModel? {
        guard !page.items.isEmpty || page.next != nil else { return nil }
        return ["items": rows, "all": form.addressOfNews, "hasMore": page.next != nil]
    }
}
