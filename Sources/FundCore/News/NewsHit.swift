/// An item of news in which all words of a search occur.
package struct NewsHit: Sendable, Hashable {
    package var item: NewsItem
    /// The list that has its feed: the user's own where that has it, or else that of a fund.
    package var list: NewsList

    package init(item: NewsItem, list: NewsList) { (self.item, self.list) = (item, list) }
}
