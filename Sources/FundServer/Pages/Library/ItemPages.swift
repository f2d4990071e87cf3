internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let itemRoutes: [PageRoute] = [
        .get("/library/items/{type}/{id}") { call in
            let item = try call.item()
            if case .fund(let id) = item { return call.redirect(to: "/library/funds/\(id)/manage") }
            return try await editPage(item, call)
        },
        .post("/library/items/{type}/{id}/name") { call, form in
            let (item, name) = (try call.item(), form["name"] ?? "")
            do {
                if case .fund(let id) = item {
                    _ = try await call.library.changeFund(id, name: name, aliases: nil, if: nil, of: try call.userID)
                } else {
                    _ = try await call.library.move(
                        item, to: ItemTarget(.unchanged, name: name), if: nil, of: try call.userID)
                }
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                if case .fund(let id) = item {
                    return try await managePage(id, call, name: name, failure: failure.requestError)
                }
                return try await editPage(item, call, name: name, failure: failure.requestError)
            }
            return call.redirect(to: try await LibraryPaths.holding(item, call) + "done=renamed")
        },
        .post("/library/items/{type}/{id}/place") { call, form in
            let (item, user) = (try call.item(), try call.userID)
            guard let place = PlaceChoice.place(form["place"] ?? "") else {
                throw RequestError.invalid("choose a place")
            }
            let conflict = form["if_taken"].flatMap(NameConflict.init(word:)) ?? .refuse
            let target = ItemTarget(.place(place), ifTaken: conflict)
            do {
                if case .email(let id) = item {
                    _ = try await call.library.moveEmail(id, to: place.fund, if: nil, of: user)
                } else if form["act"] == "copy" {
                    _ = try await call.library.copy(item, to: target, isShallow: false, if: nil, of: user)
                    return call.redirect(to: LibraryPaths.asked(place) + "done=copied")
                } else {
                    _ = try await call.library.move(item, to: target, if: nil, of: user)
                }
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                return try await editPage(item, call, failure: failure.requestError)
            }
            return call.redirect(to: LibraryPaths.asked(place) + "done=moved")
        },
        // Many at once: the boxes of a list.
        .post("/library/delete") { call, form in
            let items = try ItemSelection(form: form).items
            let back = call.localPath(form["back"]) ?? "/library"
            guard !items.isEmpty else { return call.redirect(to: LibraryPaths.with(back, "done=nothing")) }
            for item in items {
                do {
                    try await delete(item, call)
                } catch let failure as StoreError where failure.code == .notFound {}  // gone already
            }
            return call.redirect(
                to: LibraryPaths.with(back, "done=deleted&undo=\(ItemSelection(items: items).text)"))
        },
        .post("/library/restore") { call, form in
            var restored: String?
            for item in try ItemSelection(form: form).items {
                do {
                    restored = try await restore(item, call)
                } catch let failure as StoreError where failure.code == .notFound {}  // there again already
            }
            let back = call.localPath(form["back"]) ?? restored ?? "/library/trash"
            return call.redirect(to: LibraryPaths.with(back, restored == nil ? "done=nothing" : "done=restored"))
        },
    ]

    private static func delete(_ item: LibraryItemID, _ call: PageCall) async throws {
        let user = try call.userID
        switch item {
        case .email(let id): try await call.library.deleteEmail(id, if: nil, of: user)
        case .note(let id): try await call.library.deleteNote(id, unlessChangedSince: nil, if: nil, of: user)
        case .fund, .folder, .file: try await call.library.delete(item, if: nil, of: user)
        }
    }

    /// Gives the address of the page on which it is again.
    private static func restore(_ item: LibraryItemID, _ call: PageCall) async throws -> String {
        let user = try call.userID
        switch item {
        case .email(let id): return "/library/funds/\(try await call.library.restoreEmail(id, of: user).fund)/mail"
        case .note(let id): return "/library/funds/\(try await call.library.restoreNote(id, of: user).fund)/notes"
        case .fund, .folder, .file:
            switch try await call.library.restore(item, of: user) {
            case .fund(let fund): return "/library/funds/\(fund.id)"
            case .folder(let folder): return LibraryPaths.place(LibraryPlace(fund: folder.fund, folder: folder.parent))
            case .file(let file): return LibraryPaths.place(LibraryPlace(fund: file.fund, folder: file.folder))
            }
        }
    }

    private static func editPage(
        _ item: LibraryItemID, _ call: PageCall, name: String? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        let user = try call.userID
        let place: LibraryPlace
        var model: PageModel = ["type": item.kind.name, "id": "\(item.number)", "canMove": true, "canCopy": true]
        let present: String
        switch item {
        case .folder(let id):
            let folder = try await call.library.folder(id, of: user)
            (place, present) = (LibraryPlace(fund: folder.fund, folder: folder.parent), folder.name)
        case .file(let id):
            let file = try await call.library.file(id, of: user)
            (place, present) = (LibraryPlace(fund: file.fund, folder: file.folder), file.name)
        case .email(let id):
            let email = try await call.library.email(id, of: user).summary
            (place, present) = (LibraryPlace(fund: email.fund), email.subject ?? call.words("mail.nosubject"))
            (model["canCopy"], model["isEmail"]) = (false, true)
        // A fund has a page of its own, and a note is changed where it is read.
        case .fund, .note: throw RequestError.notFound
        }
        model["present"] = present
        model["name"] = name ?? present
        model["fund"] = try await FundHead(place.fund, item.kind == .email ? .mail : .files, call).model
        model["back"] =
            item.kind == .email
            ? "/library/funds/\(place.fund)/mail"
            : LibraryPaths.place(place)
        model["places"] = try await PlaceChoice.all(around: place, without: item, call)
        if let failure { model["failure"] = call.words.sentence(failure) }
        return call.page("edit", model, title: call.words("edit.title", present), status: failure?.status ?? .ok)
    }
}

/// Places to which something can be moved, as a form names them: `12` for the top of a fund, `12-34` for a folder in
/// it.
enum PlaceChoice {
    static func place(_ text: String) -> LibraryPlace? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { QueryText.number($0) }
        guard (1...2).contains(parts.count), let fund = parts[0], fund > 0 else { return nil }
        guard parts.count == 2 else { return LibraryPlace(fund: Fund.ID(fund)) }
        return parts[1].flatMap { $0 > 0 ? LibraryPlace(fund: Fund.ID(fund), folder: FolderEntry.ID($0)) : nil }
    }

    /// The folders beside and above, then all funds. Emails lie in funds alone.
    static func all(
        around place: LibraryPlace, without item: LibraryItemID, _ call: PageCall
    ) async throws -> [PageModel] {
        let user = try call.userID
        var choices: [PageModel] = []
        func add(_ place: LibraryPlace, _ text: String) {
            let value = place.folder.map { "\(place.fund)-\($0)" } ?? "\(place.fund)"
            choices.append(["value": value, "text": text])
        }
        if item.kind != .email {
            if let folder = place.folder, let parent = try await call.library.folder(folder, of: user).parent {
                add(LibraryPlace(fund: place.fund, folder: parent), call.words("place.up"))
            }
            for child in try await call.library.children(of: place, by: ItemOrder(), PageQuery(), of: user).items {
                if case .folder(let folder) = child, .folder(folder.id) != item {
                    add(LibraryPlace(fund: folder.fund, folder: folder.id), call.words("place.folder", folder.name))
                }
            }
        }
        for fund in try await call.library.funds(of: user, PageQuery()).items
        where item.kind != .email || fund.id != place.fund {
            add(LibraryPlace(fund: fund.id), call.words("place.fund", fund.name))
        }
        return choices
    }
}

/// Items in the text of an address or the boxes of a form: `file-12.folder-7`.
struct ItemSelection {
    /// More cannot be undone at once, but from the trash.
    private static let maxCount = 200
    /// As the web API takes for a zip file.
    private static let maxFormCount = 1000

    let items: [LibraryItemID]

    init(items: [LibraryItemID]) { self.items = Array(items.prefix(Self.maxCount)) }

    init?(_ text: String?) {
        guard let text, text.utf8.count <= 8192 else { return nil }
        let items = text.split(separator: ".").compactMap(Self.item)
        guard !items.isEmpty else { return nil }
        self.init(items: items)
    }

    /// Of the fields `item-file-12`, whatever their values. Throws 400 when there are too many.
    init(form: FieldText) throws {
        let keys = form.values.keys.filter { $0.hasPrefix("item-") }.sorted()
        guard keys.count <= Self.maxFormCount else {
            throw RequestError.invalid("at most \(Self.maxFormCount) items can be chosen at once")
        }
        items = keys.compactMap { Self.item($0.dropFirst(5)) }
    }

    var text: String { items.map { "\($0.kind.name)-\($0.number)" }.joined(separator: ".") }

    var model: PageModel { ["items": items.map { "\($0.kind.name)-\($0.number)" }] }

    private static func item(_ text: Substring) -> LibraryItemID? {
        let parts = text.split(separator: "-")
        guard parts.count == 2, let kind = ItemKind(name: String(parts[0])), let number = QueryText.number(parts[1]),
            number > 0
        else { return nil }
        return LibraryItemID(kind, number)
    }
}

extension LibraryPaths {
    /// With a field of the query behind it.
    static func with(_ path: String, _ field: String) -> String { path + (path.contains("?") ? "&" : "?") + field }

    /// The page of a place, ready for fields of the query.
    static func asked(_ place: LibraryPlace) -> String { with(self.place(place), "") }

    /// The page that shows the item, ready for fields of the query.
    static func holding(_ item: LibraryItemID, _ call: PageCall) async throws -> String {
        let user = try call.userID
        switch item {
        case .fund(let id): return with("/library/funds/\(id)", "")
        case .folder(let id):
            let folder = try await call.library.folder(id, of: user)
            return asked(LibraryPlace(fund: folder.fund, folder: folder.parent))
        case .file(let id):
            let file = try await call.library.file(id, of: user)
            return asked(LibraryPlace(fund: file.fund, folder: file.folder))
        case .email, .note: return "/library?"
        }
    }
}
