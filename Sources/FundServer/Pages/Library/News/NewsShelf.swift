internal import FundHTTP
internal import FundCore

/// A list of news as its address has it: whose it is, and how it is filtered.
struct NewsShelf {
    /// Key of an opened item in an address: `w42`.
    private static let keyLetter: Character = "w"

    let list: NewsList
    let filter: NewsFilter

    /// Reads the query of the call. Throws 404 for another's fund.
    init(_ list: NewsList, _ call: PageCall) throws {
        self.list = list
        filter = try call.newsFilter(try call.query(), in: list)
    }

    init(_ list: NewsList, filter: NewsFilter) { (self.list, self.filter) = (list, filter) }

    /// Path of the list that a person has of their own, or of a fund.
    static func path(of list: NewsList) -> String {
        switch list {
        case .own: PageRoute.newsPath
        case .fund(let fund): "/library/funds/\(fund)/news"
        }
    }

    var path: String { Self.path(of: list) }

    var isNarrow: Bool {
        filter.folder != nil || filter.subscription != nil || filter.state != .all || filter.words != nil
    }

    var fields: [(name: String, value: String?)] { fields { _ in } }

    /// Fields of the query after a change of the filter.
    private func fields(_ change: (inout NewsFilter) -> Void) -> [(name: String, value: String?)] {
        var filter = filter
        change(&filter)
        return [
            ("folder", filter.folder), ("feed", filter.subscription?.description),
            ("state", filter.state == .all ? nil : filter.state.rawValue), ("q", filter.words),
        ]
    }

    /// The list alone.
    var address: String { path + PageQueryText.text(fields) }

    /// The list after a change of its filter.
    func address(_ change: (inout NewsFilter) -> Void) -> String { path + PageQueryText.text(fields(change)) }

    // MARK: Items

    /// The list with an item beside it.
    func address(of item: NewsItem.ID, _ more: [(name: String, value: String?)] = []) -> String {
        path + PageQueryText.text(fields + [(ShownList.openField, Self.key(of: item))] + more)
    }

    /// The address for a link: its fragment scrolls a page that is loaded whole to the row of the item.
    func link(to item: NewsItem.ID) -> String { address(of: item) + "#r\(item)" }

    static func key(of item: NewsItem.ID) -> String { "\(keyLetter)\(item)" }

    /// The item that the address opens; nil when nothing is open. Throws 404 for what is no item of news.
    func openedItem(_ query: QueryText) throws -> NewsItem.ID? {
        guard let text = query.word(ShownList.openField) else { return nil }
        guard text.first == Self.keyLetter, let number = QueryText.number(text.dropFirst()), number > 0 else {
            throw RequestError.notFound
        }
        return NewsItem.ID(number)
    }
}
