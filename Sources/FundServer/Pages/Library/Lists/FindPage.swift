internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// A list for the script of the palette and of the search fields, which shows it while one types. It has no shell.
    static let findRoutes: [PageRoute] = [
        .get("/library/find") { call in
            let words = (try call.query()["q"] ?? "").trimmed
            let finder = Finder(words: words, call: call)
            let groups = [
                try await finder.funds(), try await finder.hits(), try await finder.news(), try await finder.people(),
                finder.pages(), finder.acts(),
            ].compactMap { $0 }
            let model: PageModel = [
                "groups": groups, "query": words, "hasQuery": !words.isEmpty,
                "all": "/library/search" + PageQueryText.text([("q", words)]),
            ]
            return call.page("find", model, title: call.words("search.title"))
        }
    ]
}

/// Things whose names have all words of a question.
private struct Finder {
    private static let maxFunds = 6
    private static let maxHits = 7
    private static let maxPeople = 4
    private static let maxPages = 5

    let words: String
    let call: PageCall
    /// The words of the question without regard to case.
    private let parts: [String]

    init(words: String, call: PageCall) {
        (self.words, self.call) = (words, call)
        parts = words.nfc.caseFolded.split(separator: " ").map(String.init)
    }

    private func isMatch(_ texts: String...) -> Bool {
        let text = texts.joined(separator: "\n").nfc.caseFolded
        return parts.allSatisfy(text.contains)
    }

    /// Nil for an empty one.
    private func group(_ name: String, _ items: [PageModel], isOfPalette: Bool = false) -> PageModel? {
        guard !items.isEmpty else { return nil }
        return ["name": call.words("find.\(name)"), "items": items, "isOfPalette": isOfPalette]
    }

    /// Values that are not there are said to be absent: a name that is missing is looked up in what stands around.
    private func item(
        _ text: String, at address: String, _ icon: String, hue: String? = nil, hint: String = "",
        name: String? = nil, excerpt: [ExcerptPiece] = []
    ) -> PageModel {
        let parts = FileNameParts(shown: text)
        // An excerpt of the name says nothing new: its matches are marked there.
        // By bytes: subjects of strangers may hold runs of marks that take quadratic time to compare.
        let isOfName = excerpt.map(\.text).joined().utf8.elementsEqual((name ?? text).utf8)
        func pieces(_ pieces: [ExcerptPiece]) -> [PageModel] {
            pieces.map { ["text": $0.text, "isMatch": $0.isMatch] }
        }
        let isFile = icon == "file"
        return [
            "icon": isFile ? "audit" : icon, "text": text, "stem": isFile ? parts.stem : text,
            "ending": isFile ? parts.suffix : "", "address": address, "tag": hue.orAbsent, "hint": hint,
            "marked": isOfName ? pieces(excerpt) : [], "excerpt": pieces(excerpt),
            "isMarked": isOfName, "hasExcerpt": !isOfName && excerpt.contains(where: \.isMatch), "act": false,
            "look": false,
        ]
    }

    /// Without a question the favourites.
    func funds() async throws -> PageModel? {
        let all = try await call.library.funds(of: try call.userID, PageQuery()).items
        let found = all.filter { fund in
            parts.isEmpty ? fund.isFavourite : isMatch(([fund.name] + fund.aliases).joined(separator: "\n"))
        }
        // Names that begin with what was typed come first.
        let key = parts.joined(separator: " ")
        let first = found.filter { $0.name.nfc.caseFolded.hasPrefix(key) }
        let rest = found.filter { !$0.name.nfc.caseFolded.hasPrefix(key) }
        return group(
            "funds",
            (first + rest).prefix(Self.maxFunds).map { fund in
                item(
                    fund.name, at: LibraryPaths.fund(fund.id), "fund", hue: FundHue.name(fund.id),
                    hint: fund.aliases.prefix(2).joined(separator: " · "))
            })
    }

    func hits() async throws -> PageModel? {
        let form = SearchForm(words: words)
        guard var query = form.query else { return nil }
        query.limit = Self.maxHits
        let found = try await call.library.search(query, of: try call.userID).items
        // Funds have a group of their own.
        let hits = found.filter { if case .fund = $0.item { false } else { true } }
        return group(
            "hits",
            hits.map { hit in
                item(
                    form.title(of: hit, call.words), at: form.address(of: hit), hit.item.kind.icon ?? "file",
                    hint: "[\(hit.fundName)]", name: hit.title, excerpt: hit.excerpt)
            })
    }

    func news() async throws -> PageModel? {
        let form = SearchForm(words: words)
        guard let query = form.query else { return nil }
        let found = try await FoundNews(first: query, form, call)
        return group(
            "news",
            found.page.items.map { hit in
                item(
                    NewsRow.title(of: hit.item, call.words), at: found.address(of: hit), "news",
                    hint: Words.shown(hit.item.feedTitle))
            })
    }

    /// For administrators alone.
    func people() async throws -> PageModel? {
        guard try call.user.isAdministrator, !words.isEmpty else { return nil }
        let found = try await call.administration.users(matching: words, PageQuery(limit: Self.maxPeople)).items
        return group(
            "people",
            found.prefix(Self.maxPeople).map { record in
                item(
                    record.user.name ?? record.user.email, at: "/office/people/\(record.user.id)", "people",
                    hint: record.user.name == nil ? "" : record.user.email)
            }, isOfPalette: true)
    }

    // MARK: Pages and acts

    private static let places = [
        ("latest.title", "/library/latest", "latest"), ("favourites.title", "/library/favourites", "star"),
        ("nav.sent", "/library/sent", "mail"), ("feeds.title", PageRoute.newsPath, "news"),
        ("letter.new", LetterDraft.path, "send"),
        ("letters.title", PageRoute.lettersPath, "send"), ("home.title", "/library", "fund"),
        ("archived.title", "/library/archive", "archive"), ("trash.title", "/library/trash", "trash"),
        ("account.title", "/account", "people"), ("devices.title", "/account/devices", "get"),
        ("profiles.title", "/account/profiles", "get"),
    ]
    private static let offices = [
        ("nav.desk", "/desk", "desk"), ("nav.mailboxes", "/office/mailboxes", "box"),
        ("people.title", "/office/people", "people"), ("feeds.office", "/office/news", "news"),
        ("nav.audit", "/office/audit", "audit"),
        ("health.nav", "/office/health", "health"), ("import.title", "/office/import", "put"),
    ]

    /// By their names in the reader's language, and in English.
    func pages() -> PageModel? {
        let isAdministrator = call.signedIn?.user.isAdministrator == true
        let english = Words(language: .en)
        let newsIsOn = call.parts.newsIsOn()
        let found = (Self.places + (isAdministrator ? Self.offices : [])).filter { word, _, icon in
            (newsIsOn || icon != "news") && isMatch(call.words(word), english(word))
        }
        // Without a question the sidebar has them.
        let limit = words.isEmpty ? Self.maxPages : found.count
        return group(
            "pages", found.prefix(limit).map { word, address, icon in item(call.words(word), at: address, icon) },
            isOfPalette: true)
    }

    private static let acts = [
        ("upload", "put"), ("folder", "folder"), ("note", "note"), ("move", "move"), ("share", "share"),
        ("sign-out", "out"),
    ]

    /// The script leaves out what cannot be done on its page.
    func acts() -> PageModel? {
        let english = Words(language: .en)
        var items: [PageModel] = []
        for (act, icon) in Self.acts where isMatch(call.words("find.do.\(act)"), english("find.do.\(act)")) {
            var model = item(call.words("find.do.\(act)"), at: "", icon)
            model["act"] = act
            items.append(model)
        }
        let theme = Theme(of: call.request)
        for other in Theme.allCases where other != theme {
            let text = { (words: Words) in words("find.theme", words("theme.\(other.rawValue)")) }
            guard isMatch(text(call.words), text(english)) else { continue }
            var model = item(text(call.words), at: "", "eye")
            (model["act"], model["look"]) = ("theme", other.rawValue)
            items.append(model)
        }
        return group("acts", items, isOfPalette: true)
    }
}
