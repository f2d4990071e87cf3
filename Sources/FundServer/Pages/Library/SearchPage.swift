internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let searchRoutes: [PageRoute] = [
        .get("/library/search") { call in
            let text = try call.query()
            let words = text["q"] ?? ""
            let kinds: [ItemKind] = [.file, .folder, .email, .note]
            let kind = text.word("type").flatMap(ItemKind.init(name:)).flatMap { kinds.contains($0) ? $0 : nil }
            let funds = try await call.library.funds(of: try call.userID, PageQuery()).items
            let fund = text["fund"].flatMap { QueryText.number($0) }.map { Fund.ID($0) }
            var model: PageModel = [
                "atSearch": true, "query": words, "sender": text["sender"] ?? "",
                "kinds": kinds.map { option($0.name, call.words("kind.\($0.name)"), isChosen: $0 == kind) },
                "funds": funds.map { option("\($0.id)", "[\($0.name)]", isChosen: $0.id == fund) },
            ]
            guard !words.isEmpty else { return call.page("search", model, title: call.words("search.title")) }
            var query = SearchQuery(text: words)
            (query.kind, query.fund, query.limit) = (kind, fund, 50)
            query.sender = text["sender"].flatMap { $0.isEmpty ? nil : $0 }
            let list = "search \(words) \(kind?.name ?? "") \(fund?.description ?? "") \(query.sender ?? "")"
            query.cursor = try call.cursor(text["cursor"], of: list)
            let page = try await call.library.search(query, of: try call.userID)
            let names = Dictionary(uniqueKeysWithValues: funds.map { ($0.id, $0.name) })
            model["hits"] = page.items.map { hit in
                [
                    "title": hit.title, "address": address(of: hit), "kind": call.words("kind.\(hit.item.kind.name)"),
                    "fund": names[hit.fund] ?? "", "hue": FundHue.name(hit.fund), "time": call.formats.time(hit.date),
                    "excerpt": hit.excerpt.map { ["text": $0.text, "isMatch": $0.isMatch] as PageModel },
                ] as PageModel
            }
            model["isEmpty"] = page.items.isEmpty && page.next == nil
            if let next = try call.sealed(page.next, of: list) {
                model["next"] = PageQueryText.text([
                    ("q", words), ("type", kind?.name), ("fund", fund?.description), ("sender", query.sender),
                    ("cursor", next),
                ])
            }
            return call.page("search", model, title: call.words("search.of", words))
        }
    ]

    private static func option(_ value: String, _ text: String, isChosen: Bool) -> PageModel {
        ["value": value, "text": text, "isChosen": isChosen]
    }

    private static func address(of hit: SearchHit) -> String {
        switch hit.item {
        case .fund(let id): "/library/funds/\(id)"
        case .folder(let id): LibraryPaths.folder(id, in: hit.fund)
        case .file(let id): "/library/files/\(id)"
        case .email(let id): "/library/emails/\(id)"
        case .note(let id): "/library/notes/\(id)"
        }
    }
}
