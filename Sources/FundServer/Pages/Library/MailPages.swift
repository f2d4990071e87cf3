internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let mailRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/mail") { call in
            let head = try await FundHead(try call.id("fund"), .mail, call)
            var query = EmailQuery()
            query.fund = head.fund.id
            query.limit = 50
            query.cursor = try call.cursor(try call.query()["cursor"], of: "mail \(head.fund.id)")
            let page = try await call.library.emails(query, of: try call.userID)
            // The latest ones: what was moved here may be an exception.
            let new = query.cursor == nil ? head.summary.newEmailCount : 0
            let rows = page.items.enumerated().map { index, email in
                var row = row(email, call)
                row["isNew"] = index < new
                return row
            }
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": page.items.isEmpty,
                "here": "/library/funds/\(head.fund.id)/mail",
            ]
            if let next = try call.sealed(page.next, of: "mail \(head.fund.id)") {
                model["next"] = PageQueryText.text([("cursor", next)])
            }
            if page.items.isEmpty, query.cursor == nil {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            if let undo = ItemSelection(try call.query()["undo"]) { model["undo"] = undo.model }
            // What is listed has been seen; what comes meanwhile stays new. Best effort: a full disk hides no mail.
            if query.cursor == nil, call.request.method == .get, let latest = page.items.first {
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
            // Text alone; HTML is shown as the words that it would show.
            let text = email.plainText
            model["paragraphs"] = text.isEmpty ? [] : [text]
            model["isWordless"] = text.isEmpty
            model["attachments"] = email.attachments.map { attachment in
                [
                    "id": "\(attachment.id)", "name": attachment.name, "size": call.formats.size(attachment.size),
                    "badge": FileKind(attachment.contentType, name: attachment.name).badge,
                    "badgeHue": FileKind(attachment.contentType, name: attachment.name).hue,
                ] as PageModel
            }
            model["hasAttachments"] = !email.attachments.isEmpty
            return call.page("email", model, title: summary.subject ?? call.words("mail.nosubject"))
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
