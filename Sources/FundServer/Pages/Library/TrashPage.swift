internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let trashRoutes: [PageRoute] = [
        .get("/library/trash") { call in
            switch try call.query().word("of") {
            case nil: try await trashPage(.items, call)
            case "mail": try await trashPage(.texts, call)
            default: throw RequestError.invalid("of must be mail")
            }
        },
        .post("/library/trash/empty") { call, _ in
            _ = try await call.library.emptyTrash(of: try call.userID)
            return call.redirect(to: "/library/trash?done=emptied")
        },
    ]

    private static func trashPage(_ part: TrashPart, _ call: PageCall) async throws -> Response {
        let (list, user) = (part == .items ? "trash" : "deleted mail", try call.userID)
        let section = try call.section(of: list)
        let isChosen = try call.choosesAll()
        let (rows, next): ([PageModel], String?)
        switch part {
        case .items:
            let page = try await call.library.deletedItems(of: user, by: TrashOrder(), section)
            let files = page.items.compactMap { if case .file(let file) = $0 { file.id } else { nil as FileEntry.ID? } }
            let takenBack = try await call.library.takenBack(files, of: user)
            (rows, next) = (page.items.map { row($0, isChosen: isChosen, takenBack, call) }, page.next)
        case .texts:
            let page = try await call.library.deletedTexts(of: user, section)
            (rows, next) = (page.items.map { row($0, isChosen: isChosen, call) }, page.next)
        }
        let path = "/library/trash"
        var model: PageModel = [
            "atTrash": true, "rows": rows, "here": path + PageQueryText.text(part.fields),
            "chooseAll": try call.addressOfAll(path, part.fields), "atItems": part == .items,
            "isEmpty": rows.isEmpty && next == nil && section.cursor == nil,
        ]
        model["paging"] = try call.paging(path, part.fields, next: next, of: list)
        return call.page("trash", model, title: call.words("trash.title"))
    }

    /// - Parameter takenBack: who took which files back that mail had brought by mistake.
    private static func row(
        _ item: LibraryItem, isChosen: Bool, _ takenBack: [FileEntry.ID: String], _ call: PageCall
    ) -> PageModel {
        let (name, deletedAt) =
            switch item {
            case .fund(let fund): (fund.name, fund.deletedAt)
            case .folder(let folder): (folder.name, folder.deletedAt)
            case .file(let file): (file.name, file.deletedAt)
            }
        var row = row(item.itemID, name, isChosen: isChosen, call)
        if case .fund(let fund) = item, fund.isArchived {
            row["kind"] = "\(call.words("kind.fund")) · \(call.words("trash.archived"))"
        }
        if case .file(let file) = item, let who = takenBack[file.id] {
            row["takenBack"] = call.words("trash.takenback", call.words.isolated(who))
        }
        if let deletedAt { row["time"] = call.formats.time(deletedAt) }
        return row
    }

    private static func row(_ text: DeletedText, isChosen: Bool, _ call: PageCall) -> PageModel {
        let name = call.words.title(text.title, of: text.item.kind)
        var row = row(text.item, name, isChosen: isChosen, call)
        row["fundName"] = text.fundName
        row["time"] = call.formats.time(text.deletedAt)
        return row
    }

    private static func row(
        _ item: LibraryItemID, _ name: String, isChosen: Bool, _ call: PageCall
    ) -> PageModel {
        [
            "key": "\(item.kind.name)-\(item.number)", "name": name, "kind": call.words("kind.\(item.kind.name)"),
            "isChosen": isChosen,
        ]
    }
}

/// The two lists of the trash.
private enum TrashPart {
    /// Funds, folders and files.
    case items
    /// Emails and notes.
    case texts

    /// Fields of the query that asks for it.
    var fields: [(name: String, value: String?)] { [("of", self == .items ? nil : "mail")] }
}
