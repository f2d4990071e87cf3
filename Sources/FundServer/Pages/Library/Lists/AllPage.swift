internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// All that a fund has in one list, which opening the fund shows: folders, then files, mail and notes by time.
    static let allRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/all") { call in
            let (fund, text) = (try call.id("fund") as Fund.ID, try call.query())
            let view = try ContentsView(text)
            let shown = ShownList.all(fund, view)
            let opened = try await OpenedItem(in: shown, call)
            if let answer = try opened?.alone() { return answer }
            let head = try await FundHead(fund, .all, call)
            let list = "all \(fund)" + PageQueryText.text(view.fields)
            let section = try call.section(of: list)
            let page = try await call.library.contents(
                of: fund, isOldestFirst: view.isOldestFirst, matching: view.filter.files, section,
                of: try call.userID)
            var marks = try NewMailMarks(
                of: head.summary, text, isFirst: section.cursor == nil, isNarrow: !view.isUsual)
            let isChosen = try call.choosesAll()
            let placed = page.items.compactMap { if case .placed(let row) = $0 { row.item } else { nil } }
            let badges = await call.badges(of: PageCall.previewed(placed))
            let files = FileRow(list: shown, fund: head.fund, opened: opened?.item, call: call)
            let rows = page.items.map { item -> PageModel in
                var row: PageModel
                var email: EmailSummary.ID?
                switch item {
                case .placed(let listed):
                    row = files.model(listed, badges, isChosen: isChosen)
                    email = listed.email?.id
                case .email(let summary):
                    row = MailRow.model(summary, in: head.fund, call)
                    row["address"] = shown.link(to: .email(summary.id))
                    row["isOpen"] = opened?.item == .email(summary.id)
                    email = summary.id
                case .note(let note): row = NoteRow.model(note, in: shown, opened?.item, call)
                }
                let kind = item.itemID.kind
                row["isChosen"] = isChosen
                (row["isPlaced"], row["isMail"]) = (kind == .file || kind == .folder, kind == .email)
                row["isNote"] = kind == .note
                (row["isNew"], row["isFirstSeen"]) = (false, false)
                if let email { marks.mark(email, &row) }
                return row
            }
            let fieldsOfSection = view.fields + marks.fieldsOfSection
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": rows.isEmpty, "here": shown.address, "isMixed": true,
                "canCopy": call.hasDrives,
                "folder": "", "inFolder": false, "newFolder": "", "hasPreviews": call.parts.previews != nil,
                "shown": PageQueryText.text(marks.fieldsOfSection),
                "chooseAll": try call.addressOfAll(shown.path, fieldsOfSection),
                "sorts": view.sorts(shown.path, call),
            ]
            model.merge(
                try await view.filter.model(shown.path, keeping: [view.sort], in: fund, hasKinds: true, call))
            if rows.isEmpty, section.cursor == nil, !view.filter.isNarrow {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            if let seenAt = head.summary.seenAt { model["seen"] = call.formats.time(seenAt) }
            model["paging"] = try call.paging(
                shown.path, view.fields + marks.fieldsOfNext, next: page.next, of: list)
            // Mail that is listed here has been seen, as in the list of mail.
            let latest = page.items.compactMap { if case .email(let email) = $0 { email.id } else { nil } }.max()
            if view.isUsual, let latest { await call.noteSeen(to: fund, upTo: latest, marks, section) }
            return call.page("all", model, title: "\(head.fund.name) · \(call.words("tab.all"))", opened: opened)
        }.live
    ]
}
