internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let fileRoutes: [PageRoute] = [
        .get("/library/funds/{fund}") { call in try await filesPage(call) },
        .post("/library/funds/{fund}/folders") { call, form in
            let place = LibraryPlace(fund: try call.id("fund"), folder: try folder(form["folder"]))
            do {
                let folder = try await call.library.addFolder(form["name"] ?? "", in: place, of: try call.userID)
                return call.redirect(to: LibraryPaths.folder(folder.id, in: place.fund) + "&done=folder-created")
            } catch let failure as StoreError where failure.code == .alreadyExists || failure.code == .invalid {
                return try await filesPage(call, folder: place.folder, failure: failure.requestError)
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
            return try await zip(ZipSelection(fund: try call.id("fund"), items: items), call)
        }.streamed,
        .upload("/library/funds/{fund}/upload") { call in try await PageUpload(call: call).response() },
        // The page of one file, and its bytes.
        .get("/library/files/{file}") { call in
            let file = try await call.library.file(try call.id("file"), of: try call.userID)
            let head = try await FundHead(file.fund, .files, call)
            let kind = FileKind(file.contentType, name: file.name)
            var model: PageModel = [
                "fund": head.model, "id": "\(file.id)", "name": file.name, "badge": kind.badge,
                "size": call.formats.size(file.size), "time": call.formats.time(file.modifiedAt),
                "digest": file.digest.hex, "isFavourite": file.isFavourite, "type": "file",
                "up": LibraryPaths.place(LibraryPlace(fund: file.fund, folder: file.folder)),
                "isPDF": kind.viewer == .pdf, "isPicture": kind.viewer == .picture, "isAudio": kind.viewer == .audio,
                "isVideo": kind.viewer == .video, "isText": kind.viewer == .text, "isOther": kind.viewer == nil,
            ]
            if let email = file.email { model["email"] = "\(email)" }
            return call.page("file", model, title: file.name)
        },
        .get("/library/files/{file}/content") { call in
            var content = try await call.parts.contents.file(try call.id("file"), of: try call.userID)
            content.isInline = try call.query().flag("inline")
            return try await call.parts.downloads.response(content, to: call.request, over: call.context.sends)
        }.streamed,
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

    private static func filesPage(
        _ call: PageCall, folder: FolderEntry.ID? = nil, failure: RequestError? = nil
    ) async throws -> Response {
        let (query, user) = (try call.query(), try call.userID)
        let head = try await FundHead(try call.id("fund"), .files, call)
        let named: FolderEntry.ID? = try query.id("folder")
        let place = LibraryPlace(fund: head.fund.id, folder: folder ?? named)
        let trail = try await FolderTrail(to: place, call)
        let order = try ItemOrder(query)
        let list = "files \(head.fund.id) \(place.folder?.description ?? "") \(query["sort"] ?? "")"
        let cursor = try call.cursor(query["cursor"], of: list)
        let page = try await call.library.children(
            of: place, by: order, PageQuery(limit: 100, cursor: cursor), of: user)
        let total = try await call.library.countChildren(of: place, of: user)
        var model: PageModel = [
            "fund": head.model, "folder": place.folder?.description ?? "", "inFolder": place.folder != nil,
            "trail": trail.steps, "rows": page.items.map { row($0, call) }, "isEmpty": page.items.isEmpty,
            "total": call.words.count("items", total), "sorts": sorts(order, place, call),
            "here": LibraryPaths.place(place),
        ]
        if place.folder == nil, page.items.isEmpty, cursor == nil {
            model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
        }
        if let name = trail.name { model["folderName"] = name }
        if let next = try call.sealed(page.next, of: list) {
            model["next"] = PageQueryText.text([
                ("folder", place.folder?.description), ("sort", query["sort"]), ("cursor", next),
            ])
        }
        if let failure { model["failure"] = call.words.sentence(failure) }
        if let undo = ItemSelection(query["undo"]) { model["undo"] = undo.model }
        let title = trail.name ?? head.fund.name
        return call.page("files", model, title: title, status: failure?.status ?? .ok)
    }

    private static func row(_ item: LibraryItem, _ call: PageCall) -> PageModel {
        switch item {
        case .fund: [:]
        case .folder(let folder):
            [
                "key": "folder-\(folder.id)", "type": "folder", "id": "\(folder.id)", "name": folder.name,
                "isFolder": true, "address": LibraryPaths.folder(folder.id, in: folder.fund),
                "time": call.formats.time(folder.modifiedAt), "size": "",
            ]
        case .file(let file):
            [
                "key": "file-\(file.id)", "type": "file", "id": "\(file.id)", "name": file.name, "isFolder": false,
                "address": "/library/files/\(file.id)", "badge": FileKind(file.contentType, name: file.name).badge,
                "badgeHue": FileKind(file.contentType, name: file.name).hue, "isMailed": file.email != nil,
                "size": call.formats.size(file.size), "time": call.formats.time(file.modifiedAt),
                "isFavourite": file.isFavourite,
            ]
        }
    }

    private static func sorts(_ order: ItemOrder, _ place: LibraryPlace, _ call: PageCall) -> [PageModel] {
        ItemOrder.Key.allCases.map { key in
            let isChosen = order.key == key
            // A second press turns the order round.
            let word = isChosen && !order.isDescending ? "-\(key.rawValue)" : key.rawValue
            let query = PageQueryText.text([("folder", place.folder?.description), ("sort", word)])
            var model: PageModel = [
                "text": call.words("sort.\(key.rawValue)"), "address": "/library/funds/\(place.fund)\(query)",
                "isChosen": isChosen,
            ]
            if isChosen { model["arrow"] = order.isDescending ? "↓" : "↑" }
            return model
        }
    }
}

/// The folders above a place.
struct FolderTrail {
    /// Folders lie no deeper than the store allows; this only ends a loop.
    private static let maxDepth = 128

    /// From the top of the fund down, without the last.
    let steps: [PageModel]
    /// Of the folder itself; nil at the top.
    let name: String?

    /// Throws 404 for a folder that is not in the fund.
    init(to place: LibraryPlace, _ call: PageCall) async throws {
        var names: [(FolderEntry.ID, String)] = []
        var next = place.folder
        while let id = next, names.count < Self.maxDepth {
            let folder = try await call.library.folder(id, of: try call.userID)
            guard folder.fund == place.fund else { throw RequestError.notFound }
            names.append((id, folder.name))
            next = folder.parent
        }
        name = names.first?.1
        steps = names.dropFirst().reversed().map { id, name in
            ["name": name, "address": LibraryPaths.folder(id, in: place.fund)]
        }
    }
}

/// Addresses of pages.
enum LibraryPaths {
    static func folder(_ folder: FolderEntry.ID, in fund: Fund.ID) -> String {
        "/library/funds/\(fund)?folder=\(folder)"
    }

    static func place(_ place: LibraryPlace) -> String {
        place.folder.map { folder($0, in: place.fund) } ?? "/library/funds/\(place.fund)"
    }
}

/// What of a file a page can show.
struct FileKind {
    enum Viewer {
        case pdf, picture, audio, video, text
    }

    /// Up to four letters, from the name.
    let badge: String
    /// The class of its colour.
    let hue: String
    let viewer: Viewer?

    init(_ contentType: String, name: String) {
        let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...] } ?? ""
        let letters = ending.utf8.prefix(5).filter(ASCII.isAlphanumeric)
        badge = letters.isEmpty || letters.count > 4 ? "—" : String(decoding: letters, as: UTF8.self).uppercased()
        hue = "hue\(letters.reduce(0) { $0 &* 31 &+ Int($1 | 0x20) } % 6 + 1)"
        viewer =
            switch contentType.prefix(while: { $0 != ";" && $0 != " " }).lowercased() {
            case "application/pdf": .pdf
            case "image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp": .picture
            case "audio/aac", "audio/flac", "audio/mp4", "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm": .audio
            case "video/mp4", "video/ogg", "video/webm": .video
            case "text/plain": .text
            default: nil
            }
    }
}
