internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// Many items at once to another place: the page on which it is chosen, and the act.
    static let moveRoutes: [PageRoute] = [
        // A form, since what is selected does not fit into an address. Whatever opens a branch of the tree on it is a
        // button of the same form.
        .post("/library/move") { call, form in
            let items = try ItemSelection(form: form).items
            if let answer = notesStay(items, form, call) { return answer }
            return try await movePage(items, form, call)
        },
        .post("/library/place") { call, form in
            let items = movable(try ItemSelection(form: form).items)
            guard let chosen = PlaceChoice.place(form["at"] ?? "") else {
                throw RequestError.invalid("choose a place")
            }
            _ = try await FolderTrail(to: chosen, call)
            _ = try await call.library.fund(chosen.fund, of: try call.userID)
            let place: LibraryPlace
            do { place = try await folder(form["folder"], in: chosen, call) } catch let failure as StoreError
                where failure.isOne(of: .alreadyExists, .invalid)
            {
                return try await movePage(items, form, call, folderFailure: failure.requestError)
            }
            var outcome = MoveOutcome(isCopy: form["act"] == "copy", to: place)
            outcome.add(earlier: UndoOffer(form["earlier"], call))
            do {
                try await put(items, form, call, &outcome)
                if !outcome.conflicts.isEmpty { return try await conflictPage(outcome, form, call) }
                guard outcome.refused.isEmpty else {
                    return try await movePage(outcome.refused.map(\.item), form, call, outcome: outcome)
                }
            } catch { throw RequestError(error).after(outcome.done) }
            let isMail = items.allSatisfy { $0.kind == .email }
            let back =
                call.localPath(form["back"]) ?? (isMail ? LibraryPaths.mail(place.fund) : LibraryPaths.place(place))
            return call.redirect(to: LibraryPaths.with(back, try outcome.fields(call) ?? "done=\(nothingDone(items))"))
        },
    ]

    /// Why nothing was done: nothing was chosen, or all of it is gone.
    static func nothingDone(_ items: [LibraryItemID]) -> String { items.isEmpty ? "nothing" : "nothing-there" }

    /// The answer to an act that leaves notes out; nil when something else was chosen, too.
    static func notesStay(_ items: [LibraryItemID], _ form: FieldText, _ call: PageCall) -> Response? {
        guard !items.isEmpty, items.allSatisfy({ $0.kind == .note }) else { return nil }
        return call.redirect(to: LibraryPaths.with(call.localPath(form["back"]) ?? "/library", "done=notes-stay"))
    }

    /// Funds are renamed, and notes stay where they are.
    private static func movable(_ items: [LibraryItemID]) -> [LibraryItemID] {
        items.filter { $0.kind != .fund && $0.kind != .note }
    }

    /// The new folder that was typed for a place; the place itself where none was.
    private static func folder(_ name: String?, in place: LibraryPlace, _ call: PageCall) async throws -> LibraryPlace {
        guard let name, !name.isEmpty else { return place }
        let folder = try await call.library.addFolder(name, in: place, of: try call.userID)
        return LibraryPlace(fund: place.fund, folder: folder.id)
    }

    /// How an item goes where its name is taken, as the form says for all or for this one; nil leaves it where it is.
    private static func conflict(_ item: LibraryItemID, _ form: FieldText) -> NameConflict? {
        let word = form["if_taken"] ?? form["taken-\(ItemSelection.key(item))"] ?? "refuse"
        return word == "skip" ? nil : NameConflict(word: word) ?? .refuse
    }

    private static func put(
        _ items: [LibraryItemID], _ form: FieldText, _ call: PageCall, _ outcome: inout MoveOutcome
    ) async throws {
        let isAsMade = UndoOffer.placeCondition(of: form)
        for item in items {
            guard let conflict = conflict(item, form) else {
                outcome.skipped += 1
                continue
            }
            do {
                let put = try await put(
                    item, at: outcome.place, isCopy: outcome.isCopy, ifTaken: conflict, if: isAsMade, call)
                outcome.add(item, put, isReplacing: conflict == .replace)
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                let pair = failure.code == .alreadyExists ? try await conflictPair(item, outcome.place, call) : nil
                outcome.refused.append(
                    RefusedItem(item: item, why: call.words.sentence(failure.requestError), conflict: pair))
            } catch let failure as StoreError where failure.code == .preconditionFailed {
                outcome.changed += 1
            } catch let failure as StoreError where failure.code == .notFound {
                // gone already
            }
        }
    }

    /// - Returns: where it was and is called now; nil for an item that is to be moved to where it is.
    private static func put(
        _ item: LibraryItemID, at place: LibraryPlace, isCopy: Bool, ifTaken conflict: NameConflict,
        if condition: ItemCondition?, _ call: PageCall
    ) async throws -> PutItem? {
        let before = try await call.placed(item)
        if !isCopy, before?.place == place { return nil }
        let (target, user) = (ItemTarget(.place(place), ifTaken: conflict), try call.userID)
        let after: String?
        switch (item, isCopy) {
        case (.email(let id), false):
            _ = try await call.library.moveEmail(id, to: place.fund, if: condition, of: user)
            after = before?.name
        case (.email, true): throw StoreError(.invalid, "copy an email", "mail can be moved, but not copied")
        case (_, true):
            after = try await call.library.copy(item, to: target, isShallow: false, if: condition, of: user).name
        case (_, false): after = try await call.library.move(item, to: target, if: condition, of: user).name
        }
        return PutItem(from: before?.place, isNamedAsBefore: before?.name == after)
    }

    /// Folders and funds at a time.
    static let maxPlaces = 100

    private static func movePage(
        _ items: [LibraryItemID], _ form: FieldText, _ call: PageCall, outcome: MoveOutcome? = nil,
        folderFailure: RequestError? = nil
    ) async throws -> Response {
        let items = movable(items)
        let back = call.localPath(form["back"]) ?? "/library"
        let named = try await NamedItems(items, call)
        guard let first = named.place else {
            let fields = try outcome?.fields(call) ?? "done=\(nothingDone(items))"
            return call.redirect(to: LibraryPaths.with(back, fields))
        }
        let isMail = items.allSatisfy { $0.kind == .email }
        let tree = try await PlaceTree(of: Set(items), from: first, isMail: isMail, form, call)
        let title = call.words(
            isMail ? "move.mails" : "move.items", call.words.count(isMail ? "mails" : "items", items.count))
        var model: PageModel = [
            "items": items.map(ItemSelection.key), "names": named.names, "hasMore": named.hasMore, "back": back,
            "isMail": isMail, "folder": form["folder"] ?? "", "folderFailed": folderFailure != nil,
        ]
        model.merge(tree.model)
        if let folderFailure { model.fail(call.words.sentence(folderFailure), at: "new-folder") }
        if let outcome {
            model["failure"] = outcome.text(call.words)
            model["refused"] = outcome.refused.prefix(MoveOutcome.maxShown).enumerated().map { index, refused in
                ["name": named.names.indices.contains(index) ? named.names[index] : "", "why": refused.why] as PageModel
            }
            model["hasRefused"] = true
        }
        let isRefused = outcome != nil || folderFailure != nil
        return call.page("move", model, title: title, status: isRefused ? .conflict : .ok)
    }
}

/// An item that was moved or copied.
struct PutItem {
    /// Nil for one that lies in no folder.
    var from: LibraryPlace?
    /// False for one that got a number behind its name.
    var isNamedAsBefore: Bool
}
