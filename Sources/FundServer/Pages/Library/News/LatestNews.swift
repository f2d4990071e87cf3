internal import FundCore

/// The newest items of a person's own news, above what arrived in their funds.
enum LatestNews {
    private static let count = 3

    /// For the template `latest`; nil without any item.
    static func model(_ call: PageCall) async throws -> PageModel? {
        guard call.parts.newsIsOn() else { return nil }
        let page = try await call.news.items(NewsFilter(), of: try call.userID, PageQuery(limit: count))
        guard !page.items.isEmpty else { return nil }
        let shelf = NewsShelf(.own, filter: NewsFilter())
        return ["items": page.items.map { NewsRow.model($0, in: shelf, isOpen: false, call) }]
    }
}
