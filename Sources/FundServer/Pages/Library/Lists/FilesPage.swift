internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let fileRoutes: [PageRoute] = [
        .get("/library/funds/{fund}") { call in try await filesPage(call) }.live,
        .post("/library/funds/{fund}/folders") { call, form in
            let place = LibraryPlace(fund: try call.id("fund"), folder: try folder(form["folder"]))
            do {
                let folder = try await call.library.addFolder(form["name"] ?? "", in: place, of: try call.userID)
                return call.redirect(to: LibraryPaths.folder(folder.id, in: place.fund) + "&done=folder-created")
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await filesPage(
                    call, folder: place.folder, newFolder: form["name"], failure: failure.requestError)
            }
        },
        // The whole fund with its mail, or what is selected.
        .get("/library/funds/{fund}/zip") { call in
            try await zip(ZipSelection(fund: try call.id("fund"), includesEmails: true), call)
        }.streamed,
        .post("/library/funds/{fund}/zip") { call, form in
            let items = try ItemSelection(form: form).items
            guard !items.isEmpty else {
                let back = call.localPath(form["back"]) ?? "/library"
                return call.redirect(to: LibraryPaths.with(back, "done=nothing"))
            }
            if let answer = notesStay(items, form, call) { return answer }
            let packed = items.filter { $0.kind != .note }
            return try await zip(ZipSelection(fund: try call.id("fund"), items: packed), call)
        }.streamed,
        .upload("/library/funds/{fund}/upload") { call in try await PageUpload(call: call).response() },
        .get("/library/uploads/{upload}") { call in try await PageUpload(call: call).resumable.progress() },
        .script(.patch, "/library/uploads/{upload}") { call in try await PageUpload(call: call).resumable.append() },
        .script(.delete, "/library/uploads/{upload}") { call in try await PageUpload(call: call).resumable.remove() },
    ]

    private static func zip(_ selection: ZipSelection, _ call: PageCall) async throws -> Response {
        try await call.parts.zipFiles.response(selection, of: try call.userID, over: call.context.sends) {
            await call.isStillSignedIn()
        }
    }

    /// The folder that a form or a query names; nil for the top of the fund. Throws 400 for other text.
    static func folder(_ text: String?) throws -> FolderEntry.ID? {
        guard let text, !text.isEmpty else { return nil }
        guard let number = QueryText.number(text), number > 0 else {
            throw RequestError.invalid("there is no such folder")
        }
        return FolderEntry.ID(number)
    }

    /// - Parameters:
    ///   - folder: of the place to be shown; nil for the one that the query names.
    ///   - newFolder: what was typed as the name of a new folder and refused.
    ///   - model: what the page is to say besides.
    static func filesPage(
        _ call: PageCall, folder: FolderEntry.ID? = nil, newFolder: String? = nil, _ model: PageModel = [:],
        failure: RequestError? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (query, user) = (try call.query(), try call.userID)
        let named: FolderEntry.ID? = try query.id("folder")
        let place = LibraryPlace(fund: try call.id("fund"), folder: folder ?? named)
        let view = try FilesView(query, call.request)
        let shown = ShownList.files(place, view)
        let opened = try await OpenedItem(in: shown, call)
        if let answer = try opened?.alone() { return answer }
        let head = try await FundHead(place.fund, .files, call)
        let trail = try await FolderTrail(to: place, call)
        let fields = view.fields(of: place) + [("sort", view.order.word)]
        let list = "files \(head.fund.id)" + PageQueryText.text(fields)
        let page = try await call.library.rows(
            of: place, by: view.order, matching: view.filter.files, try call.section(of: list), of: user)
        // The number of files that fulfil a filter would take a look at each.
        let total = view.filter.isNarrow ? nil : try await call.library.countChildren(of: place, of: user)
        let isChosen = try call.choosesAll()
        let badges = await call.badges(of: PageCall.previewed(page.items.map(\.item)))
        let path = "/library/funds/\(place.fund)"
        let rows = FileRow(list: shown, fund: head.fund, opened: opened?.item, call: call)
        var model = model
        model.merge([
            "fund": head.model, "folder": place.folder?.description ?? "", "inFolder": place.folder != nil,
            "trail": trail.steps,
            "rows": page.items.map { rows.model($0, badges, isChosen: isChosen) },
            "isEmpty": page.items.isEmpty,
            "total": total.map { call.words.count("items", $0) }.orAbsent, "count": "\(total ?? 0)",
            "sorts": view.sorts(place, call), "views": view.views(place, call), "isGrid": view.isGrid,
            "hasPreviews": call.parts.previews != nil, "canCopy": call.hasDrives,
            "shown": view.text,
            "here": path + PageQueryText.text(view.fields(of: place)),
            "top": PlaceChoice.text(LibraryPlace(fund: place.fund)),
            "chooseAll": try call.addressOfAll(path, fields),
        ])
        model.merge(
            try await view.filter.model(
                path, keeping: [("folder", place.folder?.description)], in: place.fund, hasKinds: true, call))
        if place.folder == nil, page.items.isEmpty, query["cursor"] == nil, !view.filter.isNarrow {
            model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
        }
        if let name = trail.name { model["folderName"] = name }
        model["paging"] = try call.paging(path, fields, next: page.next, of: list)
        if let folder = place.folder { model["beside"] = try await BesideLinks.ofFolder(folder, call) }
        model["newFolder"] = newFolder ?? ""
        if let failure { model.fail(call.words.sentence(failure), at: "folder-name") }
        let title = trail.name ?? head.fund.name
        return call.page(
            "files", model, title: title, status: failure?.status ?? status, headers: view.headers,
            opened: opened)
    }
}
