internal import FundCore

/// Links to what stands before and behind what a page shows, in the list that led to it.
enum BesideLinks {
    /// For the template `beside`; nil where there is nothing beside it, and in lists that know no neighbours: there the
    /// page's script goes by the rows.
    static func of(_ item: LibraryItemID, in list: ShownList, _ call: PageCall) async throws -> PageModel? {
        let user = try call.userID
        switch (list, item) {
        case (.search(let form), _):
            guard let search = form.query else { return nil }
            let found = try await call.library.neighbours(of: item, in: search, of: user)
            return model(found) { (form.address(of: $0), form.title(of: $0, call.words)) }
        case (.files(_, let view), .file(let id)):
            let found = try await call.library.neighbours(of: id, by: view.order, matching: view.filter.files, of: user)
            return model(found) { (list.link(to: .file($0.id)), $0.name) }
        case (.mail(let fund, let filter), .email(let id)):
            let found = try await call.library.neighbours(of: id, in: filter.mail(in: fund), of: user)
            return model(found) { (list.link(to: .email($0.id)), call.words.subject($0.subject)) }
        case (.all(let fund, let view), _):
            let found = try await call.library.neighbours(
                of: item, in: fund, isOldestFirst: view.isOldestFirst, matching: view.filter.files, of: user)
            return model(found) { (list.link(to: $0.itemID), title(of: $0, call.words)) }
        case (.favourites, _):
            let all = try await call.library.favourites(of: user, firstItems).items
            return model(neighbours(of: item, among: all, in: list, \.item)) {
                (list.link(to: $0.item), call.words.title($0.name, of: $0.item.kind))
            }
        case (.trash(.items), _):
            let all = try await call.library.trash(of: user, firstItems).items
            return model(neighbours(of: item, among: all, in: list, \.item.itemID)) {
                (list.link(to: $0.item.itemID), $0.name)
            }
        case (.trash(.texts), _):
            let all = try await call.library.deletedTexts(of: user, firstItems).items
            return model(neighbours(of: item, among: all, in: list, \.item)) {
                (list.link(to: $0.item), call.words.title($0.title, of: $0.item.kind))
            }
        case (.files, _), (.mail, _), (.notes, _), (.latest, _), (.archived, _): return nil
        }
    }

    /// For the page of a folder among the hits of a search; nil when no search led to it.
    static func ofFolder(_ folder: FolderEntry.ID, _ call: PageCall) async throws -> PageModel? {
        let query = try call.query()
        guard query.word("in") == "search" else { return nil }
        return try await of(.folder(folder), in: .search(SearchForm(query)), call)
    }

    /// The part of a short list in which neighbours are looked for: further on the page's script goes by the rows.
    private static let firstItems = PageQuery(limit: PageQuery.maxLimit)

    /// The items before and behind one, of those that can be opened beside the list.
    private static func neighbours<Item>(
        of item: LibraryItemID, among items: [Item], in list: ShownList, _ id: KeyPath<Item, LibraryItemID>
    ) -> Neighbours<Item> {
        let items = items.filter { list.mayHold($0[keyPath: id]) }
        guard let index = items.firstIndex(where: { $0[keyPath: id] == item }) else { return Neighbours() }
        return Neighbours(
            previous: index > 0 ? items[index - 1] : nil, next: index + 1 < items.count ? items[index + 1] : nil)
    }

    private static func title(of content: FundContent, _ words: Words) -> String {
        switch content {
        case .placed(let row): row.item.name
        case .email(let email): words.subject(email.subject)
        case .note(let note): words.title(note.text.title, of: .note)
        }
    }

    private static func model<Item>(
        _ found: Neighbours<Item>, _ link: (Item) -> (address: String, name: String)
    ) -> PageModel? {
        guard found.previous != nil || found.next != nil else { return nil }
        func linked(_ item: Item?) -> PageModel? {
            guard let item else { return nil }
            let (address, name) = link(item)
            return ["address": address, "name": name]
        }
        return ["previous": linked(found.previous).orAbsent, "following": linked(found.next).orAbsent]
    }
}
