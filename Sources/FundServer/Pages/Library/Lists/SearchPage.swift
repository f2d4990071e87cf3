internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let searchRoutes: [PageRoute] = [
        .get("/library/search") { call in
            let form = SearchForm(try call.query())
            let opened = try await OpenedItem(in: .search(form), call)
            if let answer = try opened?.alone() { return answer }
            var funds = try await call.library.funds(of: try call.userID, PageQuery()).items
            // One that is not among the first.
            if let id = form.fund, !funds.contains(where: { $0.id == id }) {
                funds.append(try await call.library.fund(id, of: try call.userID))
            }
            var model: PageModel = [
                "atSearch": true, "here": ShownList.search(form).address, "query": form.words,
                "sender": form.sender ?? "",
                "since": form.days.sinceText ?? "", "until": form.days.untilText ?? "",
                "kinds": kinds(of: form, call),
                "ofNews": form.isOfNews, "hasNewsStyle": form.isOfNews, "foundNews": false,
                "funds": funds.map { PageModel.choice("\($0.id)", "[\($0.name)]", isChosen: $0.id == form.fund) },
            ]
            guard var query = form.query else {
                return call.page("search", model, title: call.words("search.title"), opened: opened)
            }
            let list = "search" + PageQueryText.text(form.fields)
            let section = try call.section(of: list)
            if form.isOfNews {
                (query.limit, query.cursor) = (section.limit, section.cursor)
                let found = try await FoundNews(query, form, call)
                (model["rows"], model["isEmpty"]) = (found.rows, found.page.items.isEmpty && found.page.next == nil)
                model["paging"] = try call.paging("/library/search", form.fields, next: found.page.next, of: list)
                return call.page("search", model, title: call.words("search.of", form.words), opened: opened)
            }
            let news =
                form.kind == nil && section.cursor == nil
                ? try await FoundNews(first: query, form, call).section : nil
            model["foundNews"] = news.orAbsent
            // Excerpts take time: of hits only as many as others have in a further section.
            (query.limit, query.cursor) = (min(section.limit, 50), section.cursor)
            let page = try await call.library.search(query, of: try call.userID)
            let badges = await call.badges(of: page.items.compactMap(\.content))
            model["hits"] = page.items.map { hit in
                let (item, title) = (hit.item, form.title(of: hit, call.words))
                let parts = item.kind == .file ? FileNameParts(shown: title) : nil
                var row: PageModel = [
                    "isOpen": opened?.item == item, "stem": parts?.stem ?? title, "ending": parts?.suffix ?? "",
                    "key": ItemSelection.key(item), "type": item.kind.name, "id": "\(item.number)",
                    "name": call.words.title(hit.title, of: item.kind), "isFavourite": hit.isFavourite,
                    "canStar": item.kind != .folder, "icon": item.kind.icon.orAbsent,
                    "sender": face(of: hit.sender).orAbsent,
                    "address": form.address(of: hit),
                    "kind": kind(of: hit, call.words),
                    "fund": hit.fundName, "hue": FundHue.name(hit.fund), "time": call.formats.time(hit.date),
                    "excerpt": hit.excerpt.map { ["text": $0.text, "isMatch": $0.isMatch] as PageModel },
                ]
                if let content = hit.content {
                    row["file"] = badges.model(hit.title, "", content.digest, at: "/library/files/\(item.number)")
                }
                return row
            }
            model["hasPreviews"] = call.parts.previews != nil
            model["isEmpty"] = page.items.isEmpty && page.next == nil && news == nil
            model["paging"] = try call.paging("/library/search", form.fields, next: page.next, of: list)
            return call.page("search", model, title: call.words("search.of", form.words), opened: opened)
        }
    ]

    private static func kinds(of form: SearchForm, _ call: PageCall) -> [PageModel] {
        let kinds = SearchForm.kinds.map {
            PageModel.choice($0.name, call.words("kind.\($0.name)"), isChosen: $0 == form.kind)
        }
        guard call.parts.newsIsOn() else { return kinds }
        return kinds + [PageModel.choice(SearchForm.news, call.words("kind.news"), isChosen: form.isOfNews)]
    }

    private static func face(of sender: String?) -> PageModel? {
        sender.map { ["face": Initials.text(of: $0), "faceHue": Initials.hue(of: $0)] }
    }

    private static func kind(of hit: SearchHit, _ words: Words) -> String {
        let kind = words("kind.\(hit.item.kind.name)")
        return hit.page.map { "\(kind) · \(words("search.page", "\($0)"))" } ?? kind
    }
}
