import FundCore

extension ListPage {
    /// All items of a list that comes in pages.
    static func all(_ page: (PageQuery) async throws -> ListPage) async throws -> [Item] {
        var (items, cursor): ([Item], String?) = ([], nil)
        repeat {
            let next = try await page(PageQuery(cursor: cursor))
            items += next.items
            cursor = next.next
        } while cursor != nil
        return items
    }
}
