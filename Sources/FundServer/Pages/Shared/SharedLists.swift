internal import FundHTTP
internal import FundCore
internal import Hummingbird

/// The things of an opened link, its folders, and all of it as a zip file.
extension SharedRoute {
    private static let folderList = "shared folder"

    static let listRoutes: [SharedRoute] = [
        .get("/folders/{folder}") { call in
            let opened = try await call.opened()
            return try await folderPage(try call.id("folder"), opened, call)
        },
        .get("/zip") { call in
            let opened = try await call.downloadable()
            let items = try await call.store.sharedItems(of: opened.link.id, at: call.now)
            guard let fund = zippedFund(items) else { throw RequestError.notFound }
            let selection = ZipSelection(fund: fund, items: items.map(\.itemID).filter { $0.kind != .note })
            return try await zip(selection, named: call.words("shared.zip.name"), opened, call)
        }.streamed,
        .get("/folders/{folder}/zip") { call in
            let opened = try await call.downloadable()
            let folder: FolderEntry.ID = try call.id("folder")
            let found = try await call.store.sharedFolder(
                folder, of: opened.link.id, PageQuery(limit: 1), at: call.now)
            guard let last = found.trail.last else { throw RequestError.notFound }
            return try await zip(
                ZipSelection(fund: last.fund, items: [.folder(folder)]), named: last.name, opened, call)
        }.streamed,
    ]

    /// The page to which the button leads: the one thing of a link, or the list of its things.
    static func firstPage(_ opened: OpenedLink, _ call: SharedCall) async throws -> Response {
        let items = try await call.store.sharedItems(of: opened.link.id, at: call.now)
        switch (items.count, items.first) {
        case (1, .folder(let folder)): return try await folderPage(folder.id, opened, call)
        case (1, .file(let file)): return try await filePage(file, opened, isOnly: true, call)
        case (1, .note(let note)): return try await notePage(note, opened, isOnly: true, call)
        case (1, .email(let email)): return try await mailPage(email.id, opened, isOnly: true, call)
        case (0, _): throw RequestError.notFound
        default: break
        }
        var model = head(opened, call)
        model["rows"] = try await SharedRows(opened, call).models(of: items)
        if opened.link.purpose == .download, zippedFund(items) != nil { model["zip"] = "\(call.base)/zip" }
        return call.page("sharedlist", model, title: call.words.count("items", items.count))
    }

    /// Values that all pages of an opened link have.
    static func head(_ opened: OpenedLink, _ call: SharedCall) -> PageModel {
        var model: PageModel = ["isWatermarked": opened.link.isWatermarked]
        if opened.link.showsOwner { model["owner"] = owner(opened.owner) }
        model["until"] = call.page.formats.exactTime(opened.link.expiresAt)
        return model
    }

    /// The fund of things of which one zip file can be made; nil for notes alone, and for things of several funds.
    private static func zippedFund(_ items: [SharedItem]) -> Fund.ID? {
        let funds = Set(items.filter { $0.itemID.kind != .note }.map(\.fund))
        return funds.count == 1 ? funds.first : nil
    }

    private static func folderPage(
        _ id: FolderEntry.ID, _ opened: OpenedLink, _ call: SharedCall
    ) async throws -> Response {
        let list = "\(folderList) \(opened.link.id) \(id)"
        let cursor = try call.page.query()["cursor"].map { text in
            guard let cursor = call.page.parts.cursors.open(text, of: list, for: opened.owner.id) else {
                throw RequestError.invalid("there is no such cursor")
            }
            return cursor
        }
        let found = try await call.store.sharedFolder(
            id, of: opened.link.id, PageQuery(limit: 200, cursor: cursor), at: call.now)
        var model = head(opened, call)
        model["trail"] = found.trail.dropLast().map {
            ["name": $0.name, "path": "\(call.base)/folders/\($0.id)"] as PageModel
        }
        let isTop = found.trail.count == 1
        let hasOthers = opened.link.items.count > 1
        if !isTop || hasOthers { model["up"] = hasOthers && isTop ? call.base : nil }
        model["rows"] = try await SharedRows(opened, call).models(of: found.items.items)
        model["isEmpty"] = found.items.items.isEmpty && found.items.next == nil
        if opened.link.purpose == .download { model["zip"] = "\(call.base)/folders/\(id)/zip" }
        if let next = found.items.next {
            let sealed = try call.page.parts.cursors.seal(next, of: list, for: opened.owner.id)
            model["next"] = "\(call.base)/folders/\(id)" + PageQueryText.text([("cursor", sealed)])
        }
        return call.page("sharedlist", model, title: found.trail.last?.name ?? "")
    }

    private static func zip(
        _ selection: ZipSelection, named name: String, _ opened: OpenedLink, _ call: SharedCall
    ) async throws -> Response {
        guard let permit = call.links.zipPermits.permit(for: opened.owner.id) else { throw RequestError.busy }
        let response = try await call.page.parts.zipFiles.response(
            selection, of: opened.owner.id, as: .init(name: name, leavesOutWithheld: true),
            over: call.page.context.sends
        ) {
            await SharedCall.holds { _ = try await call.opened() }
        }
        return try call.transferring(response) {
            // Kept until the zip file is sent.
            withExtendedLifetime(permit) {}
            _ = try await call.opened()
        }
    }
}

extension SharedCall {
    /// The link that was opened, where it is for downloading. Throws 404 otherwise.
    func downloadable() async throws -> OpenedLink {
        let opened = try await opened()
        guard opened.link.purpose == .download else { throw RequestError.notFound }
        return opened
    }
}

/// The rows of things that a link shows, for the template `sharedlist`.
struct SharedRows {
    private let opened: OpenedLink
    private let call: SharedCall

    init(_ opened: OpenedLink, _ call: SharedCall) { (self.opened, self.call) = (opened, call) }

    func models(of items: [SharedItem]) async throws -> [PageModel] {
        let files = items.compactMap { if case .file(let file) = $0 { PreviewedFile(file) } else { nil } }
        let previews = await summaries(of: files)
        return items.map { item in
            switch item {
            case .folder(let folder):
                row("folders/\(folder.id)", folder.name, icon: "folder", folder.modifiedAt)
            case .note(let note):
                row("notes/\(note.id)", call.words.title(note.text.title, of: .note), icon: "note", note.modifiedAt)
            case .email(let email):
                row("mails/\(email.id)", call.words.subject(email.subject), icon: "mail", email.receivedAt)
            case .file(let file): self.file(file, previews[file.digest])
            }
        }
    }

    /// The previews of files; none for a marked link, since a thumbnail has no mark.
    private func summaries(of files: [PreviewedFile]) async -> [ContentDigest: PreviewSummary] {
        guard !opened.link.isWatermarked, !files.isEmpty, let previews = call.page.parts.previews else { return [:] }
        let owned = files.map { PreviewedFile(digest: $0.digest, size: $0.size, for: opened.owner.id) }
        let found = (try? await previews.source.summaries(of: owned)) ?? []
        return Dictionary(zip(files.map(\.digest), found)) { first, _ in first }
    }

    private func row(_ path: String, _ name: String, icon: String, _ time: Timestamp) -> PageModel {
        [
            "path": "\(call.base)/\(path)", "name": name, "icon": icon, "badge": .flag(false) as PageValue,
            "thumb": .flag(false) as PageValue, "size": "", "time": call.page.formats.time(time),
        ]
    }

    private func file(_ file: FileEntry, _ preview: PreviewSummary?) -> PageModel {
        let kind = FileKind(file.contentType, name: file.name)
        let path = "\(call.base)/files/\(file.id)"
        var thumb = PageValue.flag(false)
        if case .ready = preview?.state { thumb = .text("\(path)/preview?size=480") }
        return [
            "path": path, "name": file.name, "icon": .flag(false) as PageValue, "badge": kind.badge,
            "badgeHue": kind.hue, "thumb": thumb, "size": call.page.formats.size(file.size),
            "time": call.page.formats.time(file.modifiedAt),
        ]
    }
}
