import FundClient

extension Page {
    /// The first elements of a list, in as many requests as they take: a page may be short although more come.
    /// - Parameters:
    ///   - limit: number of elements at most, from 1 on.
    ///   - read: gives the page behind a cursor, with a number of elements at most.
    static func first(
        _ limit: Int, _ read: (PageCursor?, Int) async throws -> Page
    ) async throws -> [Element] {
        var elements: [Element] = []
        var cursor: PageCursor?
        repeat {
            let page = try await read(cursor, min(limit - elements.count, Session.maxPageSize))
            elements += page.elements
            cursor = page.next
        } while cursor != nil && elements.count < limit
        return elements
    }
}
