internal import FundHTTP
internal import Hummingbird
internal import FundCore

extension PageRoute {
    private static let trashPath = "/library/trash"
    /// Names of what goes for good, on the page that asks.
    private static let maxNamed = 5

    static let trashRoutes: [PageRoute] = [
        .get(trashPath) { call in
            switch try call.query().word("of") {
            case nil: try await trashPage(.items, call)
            case "mail": try await trashPage(.texts, call)
            default: throw RequestError.invalid("of must be mail")
            }
        },
        .get("\(trashPath)/empty") { call in
            let user = try call.userID
            let counts = try await call.library.trashCounts(of: user)
            guard counts.total > 0 else { return call.redirect(to: trashPath) }
            let first = PageQuery(limit: maxNamed)
            let items = try await call.library.trash(of: user, first).items.map(\.name)
            let texts = try await call.library.deletedTexts(of: user, first).items.map {
                call.words.title($0.title, of: $0.item.kind)
            }
            let names = (items + texts).prefix(maxNamed)
            let model: PageModel = [
                "atTrash": true, "counts": call.words.list(of: counts), "names": Array(names),
                "hasMore": counts.total > names.count,
            ]
            return call.page("trashempty", model, title: call.words("trash.emptyall"))
        },
        .post("\(trashPath)/empty") { call, _ in
            _ = try await call.library.emptyTrash(of: try call.userID)
            return call.redirect(to: "\(trashPath)?done=emptied")
        },
    ]

    private static func trashPage(_ part: TrashPart, _ call: PageCall) async throws -> Response {
        let (list, user) = (part == .items ? "trash" : "deleted mail", try call.userID)
        let section = try call.section(of: list)
        let isChosen = try call.choosesAll()
        let (rows, next): ([PageModel], String?)
        switch part {
        case .items:
            let page = try await call.library.trash(of: user, section)
            let files = page.items.compactMap { if case .file(let file) = $0.item { file.id } else { nil } }
            let takenBack = try await call.library.takenBack(files, of: user)
            (rows, next) = (page.items.map { row($0, isChosen: isChosen, takenBack, call) }, page.next)
        case .texts:
            let page = try await call.library.deletedTexts(of: user, section)
            (rows, next) = (page.items.map { row($0, isChosen: isChosen, call) }, page.next)
        }
        var model: PageModel = [
            "atTrash": true, "rows": rows, "here": trashPath + PageQueryText.text(part.fields),
            "chooseAll": try call.addressOfAll(trashPath, part.fields), "atItems": part == .items,
            "isEmpty": rows.isEmpty && next == nil && section.cursor == nil,
        ]
        model["paging"] = try call.paging(trashPath, part.fields, next: next, of: list)
        return call.page("trash", model, title: call.words("trash.title"))
    }

    /// - Parameter takenBack: who took which files back that mail had brought by mistake.
    private static func row(
        _ entry: TrashEntry, isChosen: Bool, _ takenBack: [FileEntry.ID: String], _ call: PageCall
    ) -> PageModel {
        var row = row(entry.item.itemID, entry.name, entry.deletedAt, isChosen: isChosen, call)
        row["fundName"] = entry.fundName.orAbsent
        row["folderName"] = entry.folderName.orAbsent
        row["deletedBy"] = entry.deletedBy.orAbsent
        if case .file(let file) = entry.item, let who = takenBack[file.id] {
            row["takenBack"] = call.words("trash.takenback", call.words.isolated(who))
        }
        return row
    }

    private static func row(_ text: DeletedText, isChosen: Bool, _ call: PageCall) -> PageModel {
        let name = call.words.title(text.title, of: text.item.kind)
        var row = row(text.item, name, text.deletedAt, isChosen: isChosen, call)
        row["fundName"] = text.fundName
        (row["folderName"], row["deletedBy"]) = (false, false)
        return row
    }

    private static func row(
        _ item: LibraryItemID, _ name: String, _ deletedAt: Timestamp?, isChosen: Bool, _ call: PageCall
    ) -> PageModel {
        var row: PageModel = [
            "key": "\(item.kind.name)-\(item.number)", "name": name, "kind": call.words("kind.\(item.kind.name)"),
            "isChosen": isChosen, "until": false,
        ]
        guard let deletedAt else { return row }
        row["time"] = call.formats.time(deletedAt)
        if let days = call.pages.restorableDays() {
            row["until"] = call.formats.time(deletedAt + .seconds(Int64(days) * Int64(CivilDate.secondsPerDay)))
        }
        return row
    }
}

extension Words {
    /// `2 funds, 14 files`, without what is not there.
    fileprivate func list(of counts: TrashCounts) -> String {
        [
            ("funds", counts.funds), ("folders", counts.folders), ("files", counts.files), ("mails", counts.emails),
            ("notes", counts.notes),
        ].filter { $0.1 > 0 }.map { count($0.0, $0.1) }.joined(separator: self("list.comma"))
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
