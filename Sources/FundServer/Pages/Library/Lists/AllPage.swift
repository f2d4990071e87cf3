internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// All that a fund has in one list: folders, then files, mail and notes together, latest first.
    static let allRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/all") { call in
            let shown = ShownList.all(try call.id("fund"))
            let opened = try await OpenedItem(in: shown, call)
            if let answer = try opened?.alone() { return answer }
            let head = try await FundHead(try call.id("fund"), .all, call)
            let list = "all \(head.fund.id)"
            let section = try call.section(of: list)
            let page = try await call.library.contents(of: head.fund.id, section, of: try call.userID)
            let isChosen = try call.choosesAll()
            let placed = page.items.compactMap { if case .placed(let row) = $0 { row.item } else { nil } }
            let previews = await call.previewsByContent(of: PageCall.previewed(placed))
            let files = FileRow(list: shown, fund: head.fund, opened: opened?.item, call: call)
            let rows = page.items.map { item -> PageModel in
                var row: PageModel
                switch item {
                case .placed(let listed): row = files.model(listed, previews, isChosen: isChosen)
                case .email(let email):
                    row = MailRow.model(email, in: head.fund, call)
                    row["address"] = shown.link(to: .email(email.id))
                    row["isOpen"] = opened?.item == .email(email.id)
                    let isNew =
                        head.summary.newEmailCount > 0 && head.summary.lastSeenEmail.map { email.id > $0 } ?? true
                    (row["isNew"], row["isFirstSeen"]) = (isNew, false)
                case .note(let note): row = NoteRow.model(note, in: shown, opened?.item, call)
                }
                let kind = item.itemID.kind
                row["isChosen"] = isChosen
                (row["isPlaced"], row["isMail"]) = (kind == .file || kind == .folder, kind == .email)
                row["isNote"] = kind == .note
                return row
            }
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": rows.isEmpty, "here": shown.address, "isMixed": true,
                "folder": "", "inFolder": false, "newFolder": "", "hasPreviews": call.parts.previews != nil,
                "chooseAll": try call.addressOfAll(shown.path),
            ]
            if rows.isEmpty, section.cursor == nil {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            model["paging"] = try call.paging(shown.path, next: page.next, of: list)
            return call.page("all", model, title: "\(head.fund.name) · \(call.words("tab.all"))", opened: opened)
        }.live
    ]
}
