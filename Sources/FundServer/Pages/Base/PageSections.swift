internal import FundCore

/// Lists come in sections: the first holds more than a screen, and the page's script fetches the others ahead of the
/// scroll. Without scripts each section is a page.
extension PageCall {
    private static let firstRows = 100
    private static let furtherRows = 50

    /// The section that is asked for; `rows` asks for larger ones.
    /// - Parameter list: the list and how it is ordered, for which alone its cursors are good.
    func section(of list: String) throws -> PageQuery {
        let query = try query()
        let cursor = try opened(query["cursor"], of: list)
        let rows = try query.number("rows", in: 1...Int64(PageQuery.maxLimit)).map(Int.init)
        return PageQuery(limit: rows ?? (cursor == nil ? Self.firstRows : Self.furtherRows), cursor: cursor)
    }

    /// For the template `paging`; nil at the end of the list.
    /// - Parameter fields: of the query of the list's page, without cursor and rows.
    func paging(
        _ path: String, _ fields: [(name: String, value: String?)] = [], next: String?, of list: String
    ) throws -> PageModel? {
        guard let next = try sealed(next, of: list) else { return nil }
        return [
            "next": path + PageQueryText.text(fields + [("cursor", next)]),
            "all": path + PageQueryText.text(fields + [("rows", "\(PageQuery.maxLimit)")]),
        ]
    }

    /// Whether all rows are to be chosen: what the link to `addressOfAll` asks for where there are no scripts.
    func choosesAll() throws -> Bool { try query().word("chosen") == "all" }

    /// Address of the same section with all its rows chosen.
    func addressOfAll(_ path: String, _ fields: [(name: String, value: String?)] = []) throws -> String {
        let query = try query()
        return path
            + PageQueryText.text(fields + [("cursor", query["cursor"]), ("rows", query["rows"]), ("chosen", "all")])
    }
}
