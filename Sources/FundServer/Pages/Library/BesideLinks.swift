internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Links to what stands before and behind what a page shows, in the list that led to it: the hits of a search if the
/// address names one, else the folder or the mail of the fund.
enum BesideLinks {
    /// For the template `beside`; nil where there is nothing beside it.
    static func of(_ item: LibraryItemID, _ call: PageCall) async throws -> PageModel? {
        let (query, user) = (try call.query(), try call.userID)
        let form = SearchForm(query)
        if query.word("in") == "search", let search = form.query {
            let found = try await call.library.neighbours(of: item, in: search, of: user)
            return model(found, call, list: "/library/search" + PageQueryText.text(form.fields)) {
                (form.address(of: $0), form.title(of: $0, call.words))
            }
        }
        switch item {
        case .file(let id):
            let view = try FilesView(query, call.request)
            let found = try await call.library.neighbours(
                of: id, by: view.order, matching: view.filter.files, of: user)
            let fields = PageQueryText.text(try fields(of: query))
            return model(found, call) { ("/library/files/\($0.id)\(fields)", $0.name) }
        case .email(let id):
            let fund = try await call.library.email(id, of: user).summary.fund
            let list = try ListFilter(query, hasKinds: false).mail(in: fund)
            let found = try await call.library.neighbours(of: id, in: list, of: user)
            let fields = PageQueryText.text(try fields(of: query))
            return model(found, call) {
                ("/library/emails/\($0.id)\(fields)", call.words.subject($0.subject))
            }
        case .fund, .folder, .note: return nil
        }
    }

    /// The fields of a query that say which list led to a page; other addresses of the same thing carry them along.
    static func fields(of query: QueryText) throws -> [(name: String, value: String?)] {
        if query.word("in") == "search" { return [("in", "search")] + SearchForm(query).fields }
        return [("sort", query["sort"])] + (try ListFilter(query)).fields
    }

    /// - Parameter list: the address of the list, where the page does not name it anyway.
    private static func model<Item>(
        _ found: Neighbours<Item>, _ call: PageCall, list: String? = nil,
        _ link: (Item) -> (address: String, name: String)
    ) -> PageModel? {
        guard found.previous != nil || found.next != nil || list != nil else { return nil }
        func linked(_ item: Item?) -> PageModel? {
            guard let item else { return nil }
            let (address, name) = link(item)
            return ["address": address, "name": name]
        }
        var model: PageModel = ["hasKeys": PageKeys(of: call.request) == .on]
        model["previous"] = linked(found.previous)
        model["following"] = linked(found.next)
        model["list"] = list
        return model
    }
}

/// Whether single keys do something on pages; those who dictate or use switches turn it off (WCAG 2.2, 2.1.4).
enum PageKeys: String, Sendable, CaseIterable {
    case on, off

    static let cookie = "fundmail-keys"

    init(of request: Request) {
        self = Cookies.value(of: Self.cookie, in: request).flatMap(PageKeys.init(word:)) ?? .on
    }
}
