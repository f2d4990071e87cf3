internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let mailRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/mail") { call in
            let head = try await FundHead(try call.id("fund"), .mail, call)
            let text = try call.query()
            let list = "mail \(head.fund.id) \(text["sender"] ?? "")"
            let section = try call.section(of: list)
            var query = EmailQuery()
            (query.fund, query.sender) = (head.fund.id, text["sender"])
            (query.limit, query.cursor) = (section.limit, section.cursor)
            let page = try await call.library.emails(query, of: try call.userID)
            // How many of these and the following ones came since the last visit. The latest ones: what was moved here
            // may be an exception.
            let first = query.sender == nil && head.summary.newEmailCount > 0 ? head.summary.newEmailCount : nil
            let new = query.cursor == nil ? first : try text.number("new").map(Int.init)
            let isChosen = try call.choosesAll()
            let rows = page.items.enumerated().map { index, email in
                var row = row(email, call)
                row["address"] = "/library/emails/\(email.id)" + PageQueryText.text([("sender", query.sender)])
                row["isChosen"] = isChosen
                row["isNew"] = index < new ?? 0
                // What stands above it is new.
                row["isFirstSeen"] = index == new
                return row
            }
            let path = "/library/funds/\(head.fund.id)/mail"
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": page.items.isEmpty, "here": path,
                "sender": text["sender"] ?? "", "isFiltered": query.sender != nil,
                "chooseAll": try call.addressOfAll(path, [("sender", query.sender), ("new", text["new"])]),
            ]
            if page.items.isEmpty, query.cursor == nil, query.sender == nil {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            if let seenAt = head.summary.seenAt { model["seen"] = call.formats.time(seenAt) }
            let left = new.flatMap { $0 >= rows.count ? "\($0 - rows.count)" : nil }
            model["paging"] = try call.paging(
                path, [("sender", query.sender), ("new", left)], next: page.next, of: list)
            if let undo = ItemSelection(text["undo"]) { model["undo"] = undo.model }
            // What is listed has been seen; what comes meanwhile stays new. Best effort: a full disk hides no mail.
            if query.cursor == nil, query.sender == nil, call.request.method == .get, let latest = page.items.first {
                _ = try? await call.library.noteVisit(to: head.fund.id, upTo: latest.id, of: try call.userID)
            }
            return call.page("mail", model, title: "\(head.fund.name) · \(call.words("tab.mail"))")
        },
        .get("/library/emails/{email}") { call in
            let email = try await call.library.email(try call.id("email"), of: try call.userID)
            let summary = email.summary
            let head = try await FundHead(summary.fund, .mail, call)
            var model = row(summary, call)
            model["fund"] = head.model
            model["here"] = "/library/funds/\(summary.fund)/mail"
            let isAlone = try call.query()["alone"] == "1"
            model["isAlone"] = isAlone
            model.merge(try await MailView(email, call).model())
            model["attachments"] = email.attachments.map { attachment in
                [
                    "id": "\(attachment.id)", "name": attachment.name, "size": call.formats.size(attachment.size),
                    "badge": FileKind(attachment.contentType, name: attachment.name).badge,
                    "badgeHue": FileKind(attachment.contentType, name: attachment.name).hue,
                ] as PageModel
            }
            model["hasAttachments"] = !email.attachments.isEmpty
            model["beside"] = try await BesideLinks.of(.email(summary.id), call)
            if let from = summary.from {
                model["ofSender"] =
                    "/library/funds/\(summary.fund)/mail" + PageQueryText.text([("sender", from)])
            }
            let template = isAlone && model["frame"] != nil ? "letter" : "email"
            return call.page(template, model, title: summary.subject ?? call.words("mail.nosubject"))
        },
        .get("/library/emails/{email}/original") { call in try await call.rawMessage() }.streamed,
        .get("/library/attachments/{attachment}") { call in
            let content = try await call.parts.contents.attachment(try call.id("attachment"), of: try call.userID)
            return try await call.parts.downloads.response(content, to: call.request, over: call.context.sends)
        }.streamed,
    ]

    private static func row(_ email: EmailSummary, _ call: PageCall) -> PageModel {
        let subject = email.subject.flatMap { $0.isEmpty ? nil : $0 } ?? call.words("mail.nosubject")
        return [
            "id": "\(email.id)", "key": "email-\(email.id)", "subject": subject, "name": subject,
            "from": email.from ?? call.words("mail.nosender"), "time": call.formats.time(email.receivedAt),
            "files": email.attachmentCount == 0 ? "" : call.words.count("files", email.attachmentCount),
            "isFavourite": email.isFavourite, "type": "email",
        ]
    }
}
