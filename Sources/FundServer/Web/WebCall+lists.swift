internal import Hummingbird
import FundCore

extension WebCall {
    /// The part of a list that the query asks for. Lists that were given whole before they had pages go on to give all that fits
    /// into the largest one.
    func page(_ query: QueryText, default standard: Int = PageQuery.maxLimit) throws -> PageQuery {
        PageQuery(limit: try query.limit(default: standard), cursor: try cursor(query))
    }

    /// What this server put into `next` for this user and list. Throws 400 for anything else.
    func cursor(_ query: QueryText) throws -> String? {
        guard let text = query["cursor"] else { return nil }
        guard let cursor = parts.cursors.open(text, of: listName, for: try userID) else {
            throw RequestFailure.invalid("there is no such cursor")
        }
        return cursor
    }

    func next(_ cursor: String?) throws -> String? {
        try cursor.map { try parts.cursors.seal($0, of: listName, for: userID) }
    }

    /// One page: its items, `next` and, where somebody wants to know how long the list is, `total`.
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

    /// The operation, whatever its path names.
    private var listName: String { context.endpointPath ?? "" }
}
