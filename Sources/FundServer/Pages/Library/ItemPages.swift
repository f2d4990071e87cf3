internal import FundHTTP
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
            var done = "renamed"
            do {
                if case .fund(let id) = item {
                    let fund = try await call.library.changeFund(
                        id, name: name, aliases: nil, if: nil, of: try call.userID)
                    done = fund.tookNameFrom == nil ? "fund-renamed" : "fund-took-name"
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
            return call.redirect(to: try await LibraryPaths.holding(item, call) + "done=\(done)")
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
            return call.redirect(
                to: item.kind == .email
                    ? LibraryPaths.mail(place.fund) + "?done=moved" : LibraryPaths.asked(place) + "done=moved")
        },
        // Many at once: the boxes of a list.
        .post("/library/delete") { call, form in
            let items = try ItemSelection(form: form).items
            let back = call.localPath(form["back"]) ?? "/library"
            var deleted: [LibraryItemID] = []
            for item in items {
                do {
                    try await delete(item, call)
                    deleted.append(item)
                } catch let failure as StoreError where failure.code == .notFound {
                    // gone already
                } catch { throw RequestError(error).after(deleted.count) }
            }
            guard !deleted.isEmpty else {
                return call.redirect(to: LibraryPaths.with(back, "done=\(nothingDone(items))"))
            }
            return call.redirect(to: LibraryPaths.with(back, ItemSelection(items: deleted).deleted))
        },
        .post("/library/restore") { call, form in
            let items = try ItemSelection(form: form).items
            var (restored, count): (String?, Int) = (nil, 0)
            for item in items {
                do {
                    restored = try await restore(item, call)
                    count += 1
                } catch let failure as StoreError where failure.code == .notFound {
                    // there again already
                } catch { throw RequestError(error).after(count) }
            }
            let back = call.localPath(form["back"]) ?? restored ?? "/library/trash"
            let done = restored != nil ? "restored" : items.isEmpty ? "nothing" : "not-in-trash"
            return call.redirect(to: LibraryPaths.with(back, "done=\(done)"))
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
        case .email(let id): return LibraryPaths.mail(try await call.library.restoreEmail(id, of: user).fund)
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
            (place, present) = (LibraryPlace(fund: email.fund), call.words.subject(email.subject))
            (model["canCopy"], model["isEmail"]) = (false, true)
        // A fund has a page of its own, and a note is changed where it is read.
        case .fund, .note: throw RequestError.notFound
        }
        model["present"] = present
        model["name"] = name ?? present
        model["fund"] = try await FundHead(place.fund, item.kind == .email ? .mail : .files, call).model
        model["back"] =
            item.kind == .email
            ? LibraryPaths.mail(place.fund)
            : LibraryPaths.place(place)
        model["places"] = try await PlaceChoice.all(around: place, without: item, call)
        if let failure { model.fail(call.words.sentence(failure), at: name == nil ? "place" : "name") }
        (model["nameFailed"], model["placeFailed"]) = (failure != nil && name != nil, failure != nil && name == nil)
        return call.page("edit", model, title: call.words("edit.title", present), status: failure?.status ?? .ok)
    }
}
