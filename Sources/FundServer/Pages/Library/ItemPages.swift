internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let itemRoutes: [PageRoute] = [
        .get("/library/items/{type}/{id}") { call in
            let item = try call.item()
            // A fund has a page of its own, and a note is changed where it is read.
            switch item {
            case .fund(let id): return call.redirect(to: "/library/funds/\(id)/manage")
            case .note(let id): return call.redirect(to: "/library/notes/\(id)")
            case .folder, .file, .email: return try await editPage(item, call)
            }
        },
        .post("/library/items/{type}/{id}/name") { call, form in
            let (item, name) = (try call.item(), form["name"] ?? "")
            let isAsMade = UndoOffer.nameCondition(of: form)
            var (done, former, present) = ("renamed", nil as String?, name)
            do {
                former = try await call.placed(item)?.name
                if case .fund(let id) = item {
                    let fund = try await call.library.changeFund(
                        id, name: name, aliases: nil, if: isAsMade, of: try call.userID)
                    done = fund.tookNameFrom == nil ? "fund-renamed" : "fund-took-name"
                } else {
                    // The store may keep it in another form (NFC).
                    present = try await call.library.move(
                        item, to: ItemTarget(.unchanged, name: name), if: isAsMade, of: try call.userID
                    ).name
                }
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                if case .fund(let id) = item {
                    return try await managePage(id, call, name: name, failure: failure.requestError)
                }
                return try await editPage(item, call, name: name, failure: failure.requestError)
            } catch let failure as StoreError
                where isAsMade != nil && failure.isOne(of: .notFound, .preconditionFailed)
            {
                let done = failure.code == .notFound ? "nothing-there" : "changed-since"
                return call.redirect(to: LibraryPaths.with(call.localPath(form["back"]) ?? "/library", "done=\(done)"))
            }
            let holding = try await LibraryPaths.holding(item, call)
            let back = call.localPath(form["back"]) ?? holding
            if let former, former != name {
                done += try UndoOffer.field(.nameBack(item, to: former, from: present), call)
            }
            return call.redirect(to: LibraryPaths.with(back, "done=\(done)"))
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
            return call.redirect(to: LibraryPaths.with(back, try outcome(ofDeleting: deleted, call)))
        },
        .post("/library/restore") { call, form in
            let (items, time) = (try ItemSelection(form: form).items, UndoOffer.time(of: form))
            var (restored, count): ((address: String, name: String)?, Int) = (nil, 0)
            var hasChanged = false
            for item in items {
                do {
                    restored = try await restore(item, unlessDeletedAfter: time, call)
                    count += 1
                } catch let failure as StoreError where failure.code == .notFound {
                    // there again already
                } catch let failure as StoreError where failure.code == .preconditionFailed {
                    hasChanged = true
                } catch { throw RequestError(error).after(count) }
            }
            let back = call.localPath(form["back"]) ?? restored?.address ?? "/library/trash"
            let done: String
            if let restored {
                done =
                    hasChanged
                    ? "done=changed-partly" : count == 1 ? try call.restored(as: restored.name) : "done=restored"
            } else {
                done = "done=\(items.isEmpty ? "nothing" : hasChanged ? "changed-since" : "not-in-trash")"
            }
            return call.redirect(to: LibraryPaths.with(back, done))
        },
    ]

    /// The outcome of a deletion, for the address of the next page: with what a button there restores. Too many for an
    /// address are left to the trash, to which that page leads.
    private static func outcome(ofDeleting items: [LibraryItemID], _ call: PageCall) throws -> String {
        let selection = ItemSelection(items: items)
        if selection.fitsAddress { return "done=deleted" + (try UndoOffer.field(.restore(selection), call)) }
        let isText = items.allSatisfy { $0.kind == .email || $0.kind == .note }
        return "done=\(isText ? "deleted-texts" : "deleted-many")"
    }

    private static func delete(_ item: LibraryItemID, _ call: PageCall) async throws {
        let user = try call.userID
        switch item {
        case .email(let id): try await call.library.deleteEmail(id, if: nil, of: user)
        case .note(let id): try await call.library.deleteNote(id, unlessChangedSince: nil, if: nil, of: user)
        case .fund, .folder, .file: try await call.library.delete(item, if: nil, of: user)
        }
    }

    /// Gives the address of the page on which it is again, and its name there.
    private static func restore(
        _ item: LibraryItemID, unlessDeletedAfter time: Timestamp?, _ call: PageCall
    ) async throws -> (address: String, name: String) {
        let (user, words) = (try call.userID, call.words)
        switch item {
        case .email(let id):
            let email = try await call.library.restoreEmail(id, unlessDeletedAfter: time, of: user)
            return (LibraryPaths.mail(email.fund), words.subject(email.subject))
        case .note(let id):
            let note = try await call.library.restoreNote(id, unlessDeletedAfter: time, of: user)
            return ("/library/funds/\(note.fund)/notes", words.title(note.text.title, of: .note))
        case .fund, .folder, .file:
            let restored = try await call.library.restore(item, unlessDeletedAfter: time, of: user)
            switch restored {
            case .fund(let fund): return (LibraryPaths.fund(fund.id), fund.name)
            case .folder(let folder):
                return (LibraryPaths.place(LibraryPlace(fund: folder.fund, folder: folder.parent)), folder.name)
            case .file(let file):
                return (LibraryPaths.place(LibraryPlace(fund: file.fund, folder: file.folder)), file.name)
            }
        }
    }

    private static func editPage(
        _ item: LibraryItemID, _ call: PageCall, name: String? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        // A fund has a page of its own, and a note is changed where it is read.
        guard let (present, place) = try await call.placed(item) else { throw RequestError.notFound }
        let isEmail = item.kind == .email
        let back = isEmail ? LibraryPaths.mail(place.fund) : LibraryPaths.place(place)
        var model: PageModel = [
            "type": item.kind.name, "id": "\(item.number)", "isEmail": isEmail, "present": present,
            "name": name ?? present, "nameFailed": failure != nil,
            "fund": try await FundHead(place.fund, isEmail ? .mail : .files, call).model,
            "back": back,
        ]
        model["sharing"] = SharingLinks(item, back: back)?.model
        if !isEmail, call.hasDrives {
            model["copyAddress"] = "/library/drives/copy" + ItemSelection(items: [item]).query(back: back)
        }
        model["shares"] = try await call.linkEntry(of: item).orAbsent
        if let failure { model.fail(call.words.sentence(failure), at: "name") }
        return call.page("edit", model, title: call.words("edit.title", present), status: failure?.status ?? .ok)
    }
}
