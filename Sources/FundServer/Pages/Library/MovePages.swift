internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Many items at once to another place: the page on which it is chosen, and the act.
    static let moveRoutes: [PageRoute] = [
        // A form, since what is selected does not fit into an address. Each place on it is a button of the same form.
        .post("/library/move") { call, form in
            try await movePage(try ItemSelection(form: form).items, form, call)
        },
        .post("/library/place") { call, form in
            let items = movable(try ItemSelection(form: form).items)
            guard let place = PlaceChoice.place(form["at"] ?? "") else {
                throw RequestError.invalid("choose a place")
            }
            _ = try await FolderTrail(to: place, call)
            _ = try await call.library.fund(place.fund, of: try call.userID)
            let isCopy = form["act"] == "copy"
            let conflict = form["if_taken"].flatMap(NameConflict.init(word:)) ?? .refuse
            var outcome = MoveOutcome(isCopy: isCopy)
            do {
                for item in items {
                    do {
                        if try await put(item, at: place, isCopy: isCopy, ifTaken: conflict, call) {
                            outcome.done += 1
                        } else {
                            outcome.unmoved += 1
                        }
                    } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                        outcome.refused.append(RefusedItem(item: item, why: call.words.sentence(failure.requestError)))
                    } catch let failure as StoreError where failure.code == .notFound {
                        // gone already
                    }
                }
                guard outcome.refused.isEmpty else {
                    return try await movePage(outcome.refused.map(\.item), form, call, outcome: outcome)
                }
            } catch { throw RequestError(error).after(outcome.done) }
            let isMail = items.allSatisfy { $0.kind == .email }
            let back =
                call.localPath(form["back"]) ?? (isMail ? LibraryPaths.mail(place.fund) : LibraryPaths.place(place))
            return call.redirect(to: LibraryPaths.with(back, "done=\(outcome.word ?? nothingDone(items))"))
        },
    ]

    /// Why nothing was done: nothing was chosen, or all of it is gone.
    static func nothingDone(_ items: [LibraryItemID]) -> String { items.isEmpty ? "nothing" : "nothing-there" }

    /// Funds are renamed, and notes stay where they are.
    private static func movable(_ items: [LibraryItemID]) -> [LibraryItemID] {
        items.filter { $0.kind != .fund && $0.kind != .note }
    }

    /// False for an item that is to be moved to where it is.
    static func put(
        _ item: LibraryItemID, at place: LibraryPlace, isCopy: Bool, ifTaken conflict: NameConflict, _ call: PageCall
    ) async throws -> Bool {
        if !isCopy, try await call.placed(item)?.place == place { return false }
        let (target, user) = (ItemTarget(.place(place), ifTaken: conflict), try call.userID)
        switch (item, isCopy) {
        case (.email(let id), false): _ = try await call.library.moveEmail(id, to: place.fund, if: nil, of: user)
        case (.email, true): throw StoreError(.invalid, "copy an email", "mail can be moved, but not copied")
        case (_, true): _ = try await call.library.copy(item, to: target, isShallow: false, if: nil, of: user)
        case (_, false): _ = try await call.library.move(item, to: target, if: nil, of: user)
        }
        return true
    }

    /// Folders and funds at a time.
    static let maxPlaces = 100

    private static func movePage(
        _ items: [LibraryItemID], _ form: FieldText, _ call: PageCall, outcome: MoveOutcome? = nil
    ) async throws -> Response {
        let items = movable(items)
        let back = call.localPath(form["back"]) ?? "/library"
        let named = try await NamedItems(items, call)
        guard let first = named.place else {
            return call.redirect(to: LibraryPaths.with(back, "done=\(outcome?.word ?? nothingDone(items))"))
        }
        // `beside` is where the buttons for more of the places there were.
        let place = PlaceChoice.place(form["at"] ?? form["beside"] ?? "") ?? first
        let fund = try await call.library.fund(place.fund, of: try call.userID)
        let isMail = items.allSatisfy { $0.kind == .email }
        let trail = try await FolderTrail(to: place, call)
        let title = call.words(
            isMail ? "move.mails" : "move.items", call.words.count(isMail ? "mails" : "items", items.count))
        var model: PageModel = [
            "items": items.map { "\($0.kind.name)-\($0.number)" }, "names": named.names, "hasMore": named.hasMore,
            "back": back, "here": PlaceChoice.text(place), "top": PlaceChoice.text(LibraryPlace(fund: place.fund)),
            "isMail": isMail, "fundName": fund.name, "placeHue": FundHue.name(fund.id),
            "inFolder": place.folder != nil, "trail": trail.steps,
        ]
        if !isMail { model["folders"] = try await folders(of: place, without: Set(items), form, call) }
        model["funds"] = try await funds(besides: place.fund, form, call)
        if let name = trail.name { model["folderName"] = name }
        if let outcome {
            model["failure"] = outcome.text(call.words)
            model["refused"] = outcome.refused.prefix(MoveOutcome.maxShown).enumerated().map { index, refused in
                ["name": named.names.indices.contains(index) ? named.names[index] : "", "why": refused.why] as PageModel
            }
            model["hasRefused"] = true
        }
        return call.page("move", model, title: title, status: outcome == nil ? .ok : .conflict)
    }

    /// Nil without any. `next` leads to more of them, on the same page.
    private static func folders(
        of place: LibraryPlace, without items: Set<LibraryItemID>, _ form: FieldText, _ call: PageCall
    ) async throws -> PageModel? {
        let list = "folders \(PlaceChoice.text(place))"
        // That of another place, from which the person went on, says nothing here.
        let asked = form["at"] == nil ? form["more-folders"] : nil
        let query = PageQuery(limit: maxPlaces, cursor: try call.opened(asked, of: list))
        let page = try await call.library.children(of: place, by: ItemOrder(), query, of: try call.userID)
        var folders: [PageModel] = []
        for case .folder(let folder) in page.items where !items.contains(.folder(folder.id)) {
            // A folder cannot go into itself.
            let place = LibraryPlace(fund: folder.fund, folder: folder.id)
            folders.append(["value": PlaceChoice.text(place), "name": folder.name])
        }
        var model: PageModel = ["rows": folders]
        // Folders stand first.
        if case .folder? = page.items.last { model["next"] = try call.sealed(page.next, of: list) }
        return folders.isEmpty && model["next"] == nil ? nil : model
    }

    private static func funds(
        besides fund: Fund.ID, _ form: FieldText, _ call: PageCall
    ) async throws -> PageModel? {
        let query = PageQuery(limit: maxPlaces, cursor: try call.opened(form["more-funds"], of: "funds"))
        let page = try await call.library.funds(of: try call.userID, query)
        let funds = page.items.filter { $0.id != fund }.map {
            ["value": "\($0.id)", "name": $0.name, "hue": FundHue.name($0.id)] as PageModel
        }
        var model: PageModel = ["rows": funds]
        model["next"] = try call.sealed(page.next, of: "funds")
        return funds.isEmpty && model["next"] == nil ? nil : model
    }
}

/// An item that stayed where it was.
struct RefusedItem {
    var item: LibraryItemID
    var why: String
}

/// The outcome for many items of which some were refused.
struct MoveOutcome {
    static let maxShown = NamedItems.maxNames

    var isCopy: Bool
    var done = 0
    /// Items that were there already.
    var unmoved = 0
    var refused: [RefusedItem] = []

    /// For the address of the next page; nil when nothing was done.
    var word: String? { done > 0 ? isCopy ? "copied" : "moved" : unmoved > 0 ? "unmoved" : nil }

    func text(_ words: Words) -> String {
        let done = words.count("items", done)
        return words(isCopy ? "copy.partly" : "move.partly", done, words.count("items", refused.count))
    }
}

/// The first of many items, by name.
struct NamedItems {
    static let maxNames = 20

    private(set) var names: [String] = []
    let hasMore: Bool
    /// Where the first one lies that is there; nil when none is.
    private(set) var place: LibraryPlace?

    init(_ items: [LibraryItemID], _ call: PageCall) async throws {
        hasMore = items.count > Self.maxNames
        for item in items where names.count < Self.maxNames || place == nil {
            do {
                guard let placed = try await call.placed(item) else { continue }
                names.append(placed.name)
                place = place ?? placed.place
            } catch let failure as StoreError where failure.code == .notFound {
                names.append("—")
            }
        }
        names = Array(names.prefix(Self.maxNames))
    }
}
