internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The archived funds of a person: each is looked at and restored from here. The trash has what is deleted, and
    /// goes with time.
    static let archiveRoutes: [PageRoute] = [
        .get(archivePath) { call in
            let section = try call.section(of: "archive")
            let page = try await call.library.archivedFunds(of: try call.userID, section)
            let owner = try call.user.email
            let rows = page.items.map { archived -> PageModel in
                let words = call.words
                let counts = [words.count("files", archived.fileCount), words.count("mails", archived.emailCount)]
                let person = archived.archivedBy.flatMap { $0 == owner ? nil : $0 }
                var row: PageModel = [
                    "id": "\(archived.fund.id)", "address": "\(archivePath)/\(archived.fund.id)",
                    "name": archived.fund.name, "hue": FundHue.name(archived.fund.id),
                    "counts": counts.joined(separator: " · "),
                    "archivedBy": person.orAbsent,
                ]
                if let time = archived.fund.deletedAt { row["time"] = call.formats.time(time) }
                return row
            }
            var model: PageModel = [
                "atArchive": true, "rows": rows, "isEmpty": rows.isEmpty && section.cursor == nil,
            ]
            model["paging"] = try call.paging(archivePath, next: page.next, of: "archive")
            return call.page("archive", model, title: call.words("archived.title"))
        },
        .get("\(archivePath)/{fund}") { call in
            let user = try call.userID
            let fund = try await call.archive.fund(try call.id("fund"), of: user)
            var folder: FolderEntry?
            if let id: FolderEntry.ID = try call.query().id("folder") {
                folder = try await call.archive.folder(id, of: user)
            }
            let place = LibraryPlace(fund: fund.id, folder: folder?.id)
            let list = ShownList.archived(place)
            let opened = try await OpenedItem(in: list, call)
            if let answer = try opened?.alone() { return answer }
            let section = try call.section(of: list.address)
            let page = try await contents(of: place, section, call)
            let files = page.items.compactMap { if case .placed(let row) = $0 { row.item } else { nil } }
            let row = ArchivedRow(
                list: list, opened: opened?.item, badges: await call.badges(of: PageCall.previewed(files)), call: call)
            var model: PageModel = [
                "atArchive": true, "rows": page.items.map(row.model), "isEmpty": page.items.isEmpty,
                "id": "\(fund.id)", "fundName": fund.name, "hue": FundHue.name(fund.id),
                "folderName": (folder?.name).orAbsent, "hasPreviews": call.parts.previews != nil,
                "up": folder.map { ShownList.archived(PageRoute.place(above: $0)).address }.orAbsent,
            ]
            if let time = fund.deletedAt { model["time"] = call.formats.time(time) }
            model["paging"] = try call.paging(
                list.path, [("folder", folder?.id.description)], next: page.next, of: list.address)
            return call.page("archivedfund", model, title: folder?.name ?? fund.name, opened: opened)
        },
    ]

    private static func place(above folder: FolderEntry) -> LibraryPlace {
        LibraryPlace(fund: folder.fund, folder: folder.parent)
    }

    /// All that an archived fund has, or the folders and files of a folder in it; the latest first.
    private static func contents(
        of place: LibraryPlace, _ section: PageQuery, _ call: PageCall
    ) async throws -> ListPage<FundContent> {
        let user = try call.userID
        guard place.folder != nil else { return try await call.archive.contents(of: place.fund, section, of: user) }
        let order = ItemOrder(.modifiedAt, isDescending: true)
        let page = try await call.archive.rows(of: place, by: order, matching: FileFilter(), section, of: user)
        return ListPage(items: page.items.map { .placed($0) }, next: page.next)
    }
}

/// A row of an archived fund, for the template `archivedfund`.
private struct ArchivedRow {
    let list: ShownList
    /// The item that is opened beside the list.
    let opened: LibraryItemID?
    let badges: FileBadges
    let call: PageCall

    func model(_ content: FundContent) -> PageModel {
        switch content {
        case .placed(let row):
            switch row.item {
            case .file(let file):
                var model = model(.file(file.id), file.name, call.formats.size(file.size), file.modifiedAt)
                model.merge(badges.model(file.name, file.contentType, file.digest, at: list.contents(of: file.id)))
                return model
            case .folder(let folder):
                var model = model(.folder(folder.id), folder.name, call.words("kind.folder"), folder.modifiedAt)
                model["address"] = ShownList.archived(LibraryPlace(fund: folder.fund, folder: folder.id)).address
                return model
            case .fund: return [:]
            }
        case .email(let email):
            let sender = call.words.sender(email.fromName, email.from)
            return model(.email(email.id), call.words.subject(email.subject), sender, email.receivedAt)
        case .note(let note):
            let title = call.words.title(note.text.title, of: .note)
            return model(.note(note.id), title, call.words("kind.note"), note.modifiedAt)
        }
    }

    private func model(_ item: LibraryItemID, _ name: String, _ about: String, _ time: Timestamp) -> PageModel {
        let parts = item.kind == .file ? FileNameParts(shown: name) : nil
        return [
            "key": ItemSelection.key(item), "isFile": item.kind == .file, "stem": parts?.stem ?? name,
            "ending": parts?.suffix ?? "",
            "about": about, "time": call.formats.time(time), "icon": item.kind.icon.orAbsent,
            "address": list.link(to: item), "isOpen": opened == item,
        ]
    }
}
