internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let trashRoutes: [PageRoute] = [
        .get("/library/trash") { call in
            let section = try call.section(of: "trash")
            let page = try await call.library.deletedItems(of: try call.userID, by: TrashOrder(), section)
            let isChosen = try call.choosesAll()
            let rows = page.items.map { row($0, isChosen: isChosen, call) }
            var model: PageModel = [
                "atTrash": true, "rows": rows, "chooseAll": try call.addressOfAll("/library/trash"),
                "isEmpty": rows.isEmpty && page.next == nil && section.cursor == nil,
            ]
            model["paging"] = try call.paging("/library/trash", next: page.next, of: "trash")
            return call.page("trash", model, title: call.words("trash.title"))
        },
        .post("/library/trash/empty") { call, _ in
            _ = try await call.library.emptyTrash(of: try call.userID)
            return call.redirect(to: "/library/trash?done=emptied")
        },
    ]

    private static func row(_ item: LibraryItem, isChosen: Bool, _ call: PageCall) -> PageModel {
        let (name, deletedAt) =
            switch item {
            case .fund(let fund): (fund.name, fund.deletedAt)
            case .folder(let folder): (folder.name, folder.deletedAt)
            case .file(let file): (file.name, file.deletedAt)
            }
        let kind = item.itemID.kind
        var row: PageModel = [
            "key": "\(kind.name)-\(item.itemID.number)", "name": name, "kind": call.words("kind.\(kind.name)"),
            "isChosen": isChosen,
        ]
        if case .fund(let fund) = item, fund.isArchived {
            row["kind"] = "\(call.words("kind.fund")) · \(call.words("trash.archived"))"
        }
        if let deletedAt { row["time"] = call.formats.time(deletedAt) }
        return row
    }
}
