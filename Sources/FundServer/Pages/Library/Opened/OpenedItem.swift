internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// The item that a page shows beside its list, as its address says by `open`.
struct OpenedItem {
    /// Field of an address by which a script asks for what is opened without the list.
    private static let partField = "part"
    private static let part = "detail"

    let item: LibraryItemID
    /// The item's name.
    let title: String
    /// For the template `detail`.
    let model: PageModel
    private let call: PageCall

    /// Nil when nothing is open. Throws 404 for an item that lists of this kind do not hold, and for one that the
    /// reader may not see.
    init?(in list: ShownList, _ call: PageCall) async throws {
        let query = try call.query()
        guard let text = query.word(ShownList.openField) else { return nil }
        guard let item = LibraryItemID(openKey: text), list.mayHold(item) else { throw RequestError.notFound }
        let content: OpenedContent
        switch item {
        case _ where list.isOfDeleted || list.isOfArchived:
            content = try await OpenedReadOnly(list: list, call: call).content(of: item)
        case .file(let id): content = try await OpenedFile.content(id, in: list, call)
        case .email(let id): content = try await OpenedMail.content(id, in: list, call)
        case .note(let id): content = try await OpenedNote.content(id, in: list, call)
        case .fund, .folder: throw RequestError.notFound
        }
        var model = content.model
        let back = list.address(of: item)
        if !list.isOfDeleted, !list.isOfArchived {
            model["sharing"] = SharingLinks(item, back: back)?.model
            let strip = try await LetterStrip.of(item, call)
            (model["lettersOf"], model["hasLetters"]) = (strip, !strip.isEmpty)
            model["shares"] = try await call.linkEntry(of: item).orAbsent
        }
        model.merge([
            "type": item.kind.name, "id": "\(item.number)", "key": ItemSelection.key(item),
            "name": content.title, "hue": FundHue.name(content.fund.id), "fundName": content.fund.name,
            "fundPath": list.isOfArchived ? list.path : LibraryPaths.fund(content.fund.id),
            "close": list.address, "here": list.address(of: item), "csrf": call.csrf ?? "",
            "beside": try await BesideLinks.of(item, in: list, call).orAbsent,
            "star": [
                "type": item.kind.name, "id": "\(item.number)", "name": content.title,
                "isFavourite": content.isFavourite,
            ] as PageModel,
            "isInfoOpen": try query.number("info") == 1, "inTrash": list.isOfDeleted,
            "inArchive": list.isOfArchived, "canChange": !list.isOfDeleted && !list.isOfArchived,
        ])
        (self.item, title, self.model, self.call) = (item, content.title, model, call)
    }

    /// Whether a script asks for what is opened alone, to show it in a page that is there.
    static func isAskedAlone(_ call: PageCall) throws -> Bool { try call.query().word(partField) == part }

    /// The opened item without its list; nil when the whole page is asked for.
    func alone() throws -> Response? {
        guard try Self.isAskedAlone(call) else { return nil }
        return call.page("opened", ["openedItem": model], title: title)
    }
}

/// The parts of an opened item that are shown.
struct OpenedContent {
    var title: String
    var fund: FundEntry
    var isFavourite: Bool
    /// Its part of the template `detail`.
    var model: PageModel
}

extension PageRoute {
    /// Own addresses of items: they lead to the lists that hold them.
    static let openedRoutes: [PageRoute] = [
        .get("/library/files/{file}") { call in
            let file = try await call.library.file(try call.id("file"), of: try call.userID)
            let place = LibraryPlace(fund: file.fund, folder: file.folder)
            return try call.lead(to: .file(file.id), in: .files(place, FilesView(try call.query(), call.request)))
        },
        .get("/library/emails/{email}") { call in
            let (id, query) = (try call.id("email") as EmailSummary.ID, try call.query())
            // On a phone the HTML of a mail fills the window.
            if query["alone"] == "1", let page = try await OpenedMail.alone(id, call) { return page }
            let email = try await call.library.email(id, of: try call.userID).summary
            return try call.lead(to: .email(id), in: .mail(email.fund, ListFilter(query, hasKinds: false)))
        },
        .get("/library/notes/{note}") { call in
            let note = try await call.library.note(try call.id("note"), of: try call.userID)
            return try call.lead(to: .note(note.id), in: .notes(note.fund))
        },
    ]
}

extension PageCall {
    /// Fields about the item that its own address may have.
    private static let itemFields = ["view", "page", "zoom", "info", "pictures", "done", "undo", "as"]

    /// - Parameter list: the list that holds the item, for those whom no search led to it.
    fileprivate func lead(to item: LibraryItemID, in list: ShownList) throws -> Response {
        let query = try query()
        let form = SearchForm(query)
        let list = query.word("in") == "search" && form.query != nil ? .search(form) : list
        return redirect(to: list.link(to: item, Self.itemFields.map { ($0, query[$0]) }))
    }
}

extension PageCall {
    /// The page of a list, with what is opened beside it.
    func page(
        _ template: String, _ model: PageModel, title: String, status: HTTPResponse.Status = .ok,
        headers: HTTPFields = [:], opened: OpenedItem?
    ) -> Response {
        var model = model
        if let opened { (model["openedItem"], model["listTitle"]) = (opened.model, title) }
        return page(template, model, title: opened?.title ?? title, status: status, headers: headers)
    }
}
