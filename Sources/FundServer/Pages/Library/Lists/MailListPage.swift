internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// The mail of a fund.
    static let mailListRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/mail") { call in
            let text = try call.query()
            let filter = try ListFilter(text, hasKinds: false)
            let shown = ShownList.mail(try call.id("fund"), filter)
            let opened = try await OpenedItem(in: shown, call)
            if let answer = try opened?.alone() { return answer }
            let head = try await FundHead(try call.id("fund"), .mail, call)
            let list = "mail \(head.fund.id)" + PageQueryText.text(filter.fields)
            let section = try call.section(of: list)
            var query = filter.mail(in: head.fund.id)
            (query.limit, query.cursor) = (section.limit, section.cursor)
            let page = try await call.library.emails(query, of: try call.userID)
            var marks = try NewMailMarks(
                of: head.summary, text, isFirst: query.cursor == nil, isNarrow: filter.isNarrow)
            let path = LibraryPaths.mail(head.fund.id)
            let isChosen = try call.choosesAll()
            let rows = page.items.map { email in
                var row = MailRow.model(email, in: head.fund, call)
                row["address"] = shown.link(to: .email(email.id))
                (row["isChosen"], row["isOpen"]) = (isChosen, opened?.item == .email(email.id))
                marks.mark(email.id, &row)
                return row
            }
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": page.items.isEmpty, "here": shown.address,
                "shown": PageQueryText.text(marks.fieldsOfSection),
                "chooseAll": try call.addressOfAll(path, filter.fields + marks.fieldsOfSection),
            ]
            if page.items.isEmpty, query.cursor == nil, !filter.isNarrow {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            model.merge(
                try await filter.model(path, keeping: [], in: head.fund.id, hasKinds: false, call))
            model["mailWays"] = try await mailWays(head.fund, call).orAbsent
            if let seenAt = head.summary.seenAt { model["seen"] = call.formats.time(seenAt) }
            model["paging"] = try call.paging(
                path, filter.fields + marks.fieldsOfNext, next: page.next, of: list)
            if !filter.isNarrow, let latest = page.items.map(\.id).max() {
                await call.noteSeen(to: head.fund.id, upTo: latest, marks, section)
            }
            return call.page(
                "mail", model, title: "\(head.fund.name) · \(call.words("tab.mail"))", opened: opened)
        }.live
    ]

    /// The way to the letters of a fund; nil for a fund without any.
    private static func mailWays(_ fund: FundEntry, _ call: PageCall) async throws -> PageModel? {
        let letters = try await call.letters.letters(
            LetterFilter(fund: fund.id), PageQuery(limit: 1), of: try call.userID)
        return letters.items.isEmpty ? nil : MailWays(of: fund, isSent: false).model
    }
}
