internal import Hummingbird
import FundCore

extension WebCall {
    /// The page that the query asks for. Lists that had no pages at first give the largest page by default.
    func page(_ query: QueryText, default standard: Int = PageQuery.maxLimit) throws -> PageQuery {
        PageQuery(limit: try query.limit(default: standard), cursor: try cursor(query))
    }

    /// Opens a cursor that this server gave for this user and list. Throws 400 for other text.
    func cursor(_ query: QueryText) throws -> String? {
        guard let text = query["cursor"] else { return nil }
        guard let cursor = parts.cursors.open(text, of: listName, for: try userID) else {
            throw RequestError.invalid("there is no such cursor")
        }
        return cursor
    }

    func next(_ cursor: String?) throws -> String? {
        try cursor.map { try parts.cursors.seal($0, of: listName, for: userID) }
    }

    /// One page: its items, `next`, and for some lists their `total` length.
    func list<Item>(
        _ name: StaticString, _ page: Page<Item>, total: Int? = nil, _ write: (inout JSONWriter, Item) -> Void
    ) throws -> Response {
        let next = try next(page.next)
        return json { json in
            json.field(name, page.items) { json, item in json.object { write(&$0, item) } }
            json.field("next", next)
            if let total { json.field("total", Int64(total)) }
        }
    }

    /// The route, which is the same for all values of its parameters.
    private var listName: String { context.endpointPath ?? "" }
}
