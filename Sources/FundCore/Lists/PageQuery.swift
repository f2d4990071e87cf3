/// The wanted part of a list.
package struct PageQuery: Sendable, Hashable {
    package static let maxLimit = 500

    /// 1 to 500; a page is shorter when its items are large.
    package var limit: Int
    /// `ListPage.next` of the page before; nil for the first.
    package var cursor: String?

    package init(limit: Int = PageQuery.maxLimit, cursor: String? = nil) {
        self.limit = min(max(limit, 1), Self.maxLimit)
        self.cursor = cursor
    }
}
