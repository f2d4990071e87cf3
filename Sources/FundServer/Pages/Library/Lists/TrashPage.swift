internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Names of what goes for good, on the page that asks.
    private static let maxNamed = 5

    static let trashRoutes: [PageRoute] = [
        .get(trashPath) { call in
            switch try call.query().word("of") {
            case nil: try await trashPage(.items, call)
            case "mail": try await trashPage(.texts, call)
            default: throw RequestError.invalid("of must be mail")
            }
        },
        .get("\(trashPath)/empty") { call in try await emptyPage(call) },
        .post("\(trashPath)/empty") { call, form in
            guard let shown = TrashQuestion(form["shown"]) else { return try await emptyPage(call) }
            do {
                _ = try await call.library.emptyTrash(of: try call.userID, asShown: shown)
            } catch let failure as StoreError where failure.code == .conflict {
                return try await emptyPage(call, isChanged: true)
            }
            let isEmpty = try await call.library.trashQuestion(of: try call.userID).counts.total == 0
            return call.redirect(to: "\(trashPath)?done=\(isEmpty ? "emptied" : "emptied-mostly")")
        },
        // Chosen items go for good: the question, and the act that its form sends.
        .post("\(trashPath)/delete") { call, form in
            let items = try ItemSelection(form: form).items
            let back = call.localPath(form["back"]) ?? trashPath
            guard !items.isEmpty else { return call.redirect(to: LibraryPaths.with(back, "done=nothing")) }
            guard form["sure"] == "1" else { return try await purgePage(items, back, call) }
            var count = 0
            for item in items {
                do {
                    try await call.library.purge(item, of: try call.userID)
                    count += 1
                } catch let failure as StoreError where failure.code == .notFound {
                    // It is there again, or gone already.
                } catch { throw RequestError(error).after(count) }
            }
            return call.redirect(to: LibraryPaths.with(back, "done=\(count > 0 ? "purged" : "not-in-trash")"))
        },
    ]

    /// Asks before all of it goes. What is deleted after the question is not part of it.
    /// - Parameter isChanged: whether another question was answered, about what is different by now.
    private static func emptyPage(_ call: PageCall, isChanged: Bool = false) async throws -> Response {
        let (user, first) = (try call.userID, PageQuery(limit: maxNamed))
        // Before the names: what is deleted between these is named, and stays.
        let question = try await call.library.trashQuestion(of: user)
        let items = try await call.library.trash(of: user, first).items
        let texts = try await call.library.deletedTexts(of: user, first).items
        let counts = question.counts
        guard counts.total > 0 else { return call.redirect(to: trashPath) }
        let all = items.map(\.name) + texts.map { call.words.title($0.title, of: $0.item.kind) }
        let names = all.prefix(maxNamed)
        var model: PageModel = [
            "atTrash": true, "counts": call.words.list(of: counts), "names": Array(names),
            "hasMore": counts.total > names.count, "shown": question.text,
        ]
        if isChanged { model.fail(call.words("trash.changed")) }
        return call.page(
            "trashempty", model, title: call.words("trash.emptyall"), status: isChanged ? .conflict : .ok)
    }

    /// Asks before some of it goes.
    private static func purgePage(_ items: [LibraryItemID], _ back: String, _ call: PageCall) async throws -> Response {
        let model: PageModel = [
            "atTrash": true, "counts": call.words.count("items", items.count), "back": back,
            "items": items.map(ItemSelection.key),
        ]
        return call.page("trashdelete", model, title: call.words("trash.purge"))
    }

    private static func trashPage(_ part: TrashPart, _ call: PageCall) async throws -> Response {
        let shown = ShownList.trash(part)
        let opened = try await OpenedItem(in: shown, call)
        if let answer = try opened?.alone() { return answer }
        let (list, user) = (part == .items ? "trash" : "deleted mail", try call.userID)
        let section = try call.section(of: list)
        let isChosen = try call.choosesAll()
        let row = TrashRow(list: shown, opened: opened?.item, isChosen: isChosen, call: call)
        let (rows, next): ([PageModel], String?)
        switch part {
        case .items:
            let page = try await call.library.trash(of: user, section)
            let files = page.items.compactMap { if case .file(let file) = $0.item { file.id } else { nil } }
            let takenBack = try await call.library.takenBack(files, of: user)
            let badges = await call.badges(of: PageCall.previewed(page.items.map(\.item)))
            (rows, next) = (page.items.map { row.model($0, takenBack, badges) }, page.next)
        case .texts:
            let page = try await call.library.deletedTexts(of: user, section)
            (rows, next) = (page.items.map(row.model), page.next)
        }
        var model: PageModel = [
            "atTrash": true, "rows": rows, "here": trashPath + PageQueryText.text(part.fields),
            "chooseAll": try call.addressOfAll(trashPath, part.fields), "atItems": part == .items,
            "isEmpty": rows.isEmpty && next == nil && section.cursor == nil,
            "hasPreviews": call.parts.previews != nil,
        ]
        model["paging"] = try call.paging(trashPath, part.fields, next: next, of: list)
        return call.page("trash", model, title: call.words("trash.title"), opened: opened)
    }
}

extension TrashQuestion {
    /// `4711.905.0.2.1.0.0`, as a form carries it: epoch and number of the point in the feed of changes, and the counts
    /// in the order of `TrashCounts`.
    fileprivate var text: String {
        let numbers = [counts.funds, counts.folders, counts.files, counts.emails, counts.notes].map(Int64.init)
        return ([asOf.epoch, asOf.number] + numbers).map(String.init).joined(separator: ".")
    }

    /// Nil for other text.
    fileprivate init?(_ text: String?) {
        // A long one takes quadratic time to split.
        guard let text, text.isShortWord else { return nil }
        let numbers = text.split(separator: ".", omittingEmptySubsequences: false).map { QueryText.number($0) }
        let known = numbers.compactMap(\.self)
        guard known.count == numbers.count, known.count == 7 else { return nil }
        var counts = TrashCounts()
        (counts.funds, counts.folders, counts.files) = (Int(known[2]), Int(known[3]), Int(known[4]))
        (counts.emails, counts.notes) = (Int(known[5]), Int(known[6]))
        self.init(asOf: ChangeCursor(epoch: known[0], number: known[1]), counts: counts)
    }
}

extension Words {
    /// `2 funds, 14 files`, without what is not there.
    fileprivate func list(of counts: TrashCounts) -> String {
        [
            ("funds", counts.funds), ("folders", counts.folders), ("files", counts.files), ("mails", counts.emails),
            ("notes", counts.notes),
        ].filter { $0.1 > 0 }.map { count($0.0, $0.1) }.joined(separator: self("list.comma"))
    }
}
