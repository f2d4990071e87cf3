internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let mailboxRoutes: [PageRoute] = [
        .office("/office/mailboxes") { call in
            let reports = try await call.parts.mailboxes.reports()
            let view = MailboxView(words: call.words, formats: call.formats)
            var model: PageModel = [
                "isOffice": true, "atMailboxes": true, "rows": reports.map(view.row), "isEmpty": reports.isEmpty,
            ]
            if let name = try call.query()["polled"], let poll = try await call.parts.mailboxes.lastPoll(of: name) {
                model["polled"] = view.result(poll)
                if poll.outcome == nil { model["refresh"] = PageCall.refreshSeconds }
            }
            return call.page("mailboxes", model, title: call.words("mailboxes.title"))
        },
        .officeAct("/office/mailboxes/{mailbox}/poll") { call, _ in
            let poll = try await call.parts.mailboxes.poll(try call.mailbox(), actor: try call.user.email)
            return call.redirect(to: "/office/mailboxes" + PageQueryText.text([("polled", poll.mailbox)]))
        },
    ]
}
