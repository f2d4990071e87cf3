internal import Hummingbird
internal import FundCore

extension PageRoute {
    static let mailRoutes: [PageRoute] = [
        .get("/library/funds/{fund}/mail") { call in
            let head = try await FundHead(try call.id("fund"), .mail, call)
            let text = try call.query()
            let filter = try ListFilter(text, hasKinds: false)
            let list = "mail \(head.fund.id)" + PageQueryText.text(filter.fields)
            let section = try call.section(of: list)
            var query = filter.mail(in: head.fund.id)
            (query.limit, query.cursor) = (section.limit, section.cursor)
            let page = try await call.library.emails(query, of: try call.userID)
            var marks = try NewMailMarks(of: head.summary, text, isFirst: query.cursor == nil)
            let path = LibraryPaths.mail(head.fund.id)
            let fields = PageQueryText.text(filter.fields)
            let isChosen = try call.choosesAll()
            let rows = page.items.map { email in
                var row = row(email, call)
                row["address"] = "/library/emails/\(email.id)" + fields
                row["isChosen"] = isChosen
                marks.mark(email.id, &row)
                return row
            }
            var model: PageModel = [
                "fund": head.model, "rows": rows, "isEmpty": page.items.isEmpty, "here": path + fields,
                "shown": PageQueryText.text(marks.fieldsOfSection),
                "chooseAll": try call.addressOfAll(path, filter.fields + marks.fieldsOfSection),
            ]
            if page.items.isEmpty, query.cursor == nil, !filter.isNarrow {
                model["card"] = AddressCard(of: head.fund, call).model(isShort: true, call.words)
            }
            model.merge(
                try await filter.model(path, keeping: [], in: head.fund.id, hasKinds: false, call))
            if let seenAt = head.summary.seenAt { model["seen"] = call.formats.time(seenAt) }
            model["paging"] = try call.paging(
                path, filter.fields + marks.fieldsOfNext, next: page.next, of: list)
            if let undo = ItemSelection(text["undo"]) { model["undo"] = undo.model }
            // Listed mail has been seen; mail that comes meanwhile stays new. Best effort: a full disk hides no mail.
            // Mail that was moved here may be later than mail above it: further sections note a visit, too, by
            // cursors that no other site has.
            let isNews = query.cursor == nil ? call.isVisit : marks.hasNew && call.request.method == .get
            if isNews, !filter.isNarrow, let latest = page.items.map(\.id).max() {
                try? await call.library.noteVisit(to: head.fund.id, upTo: latest, of: try call.userID)
            }
            return call.page("mail", model, title: "\(head.fund.name) · \(call.words("tab.mail"))")
        }.live,
        .get("/library/emails/{email}") { call in
            let email = try await call.library.email(try call.id("email"), of: try call.userID)
            let summary = email.summary
            let head = try await FundHead(summary.fund, .mail, call)
            var model = row(summary, call)
            model["fund"] = head.model
            model["hasPaper"] = true
            let fields = try BesideLinks.fields(of: try call.query())
            model["here"] =
                LibraryPaths.mail(summary.fund) + PageQueryText.text(fields.contains { $0.name == "in" } ? [] : fields)
            model["trail"] = PageQueryText.text(fields)
            model["htmlTrail"] = PageQueryText.text(fields + [("view", "html")])
            model["aloneTrail"] = PageQueryText.text(fields + [("view", "html"), ("alone", "1")])
            let isAlone = try call.query()["alone"] == "1"
            model["isAlone"] = isAlone
            model.merge(try await MailView(email, call).model())
            let previews = await call.previewsByContent(of: email.attachments.map(PreviewedFile.init))
            model["attachments"] = email.attachments.map { attachment in
                let badge = FileBadge(
                    FileKind(attachment.contentType, name: attachment.name), previews[attachment.digest],
                    at: "/library/attachments/\(attachment.id)/preview", of: attachment.digest, call.words)
                var row = badge.model
                row["id"] = "\(attachment.id)"
                row["name"] = attachment.name
                row["size"] = call.formats.size(attachment.size)
                return row
            }
            // It scrolls by itself, so that what the mail says begins on the first screen.
            model["isLong"] = summary.subject.map { $0.utf8.count > maxHeadingBytes } ?? false
            model["hasAttachments"] = !email.attachments.isEmpty
            model["beside"] = try await BesideLinks.of(.email(summary.id), call)
            if let from = summary.from {
                model["ofSender"] =
                    LibraryPaths.mail(summary.fund) + PageQueryText.text([("sender", from)])
            }
            let template = isAlone && model["frame"] != nil ? "letter" : "email"
            return call.page(template, model, title: call.words.subject(summary.subject))
        },
        .get("/library/emails/{email}/original") { call in try await call.rawMessage() }.streamed,
        .get("/library/attachments/{attachment}") { call in
            try await call.download(try await call.attachmentContent())
        }.streamed,
    ]

    /// Bytes of the longest subject that is shown without scrolling.
    private static let maxHeadingBytes = 500

    /// Seconds between a mail's own date and its arrival from which on a list shows both: it was taken in from an
    /// archive.
    private static let datedApart: Int64 = 86_400

    private static func row(_ email: EmailSummary, _ call: PageCall) -> PageModel {
        let subject = call.words.subject(email.subject)
        let isApart = email.sentAt.map {
            !(email.receivedAt - .seconds(datedApart)...email.receivedAt + .seconds(datedApart)).contains($0)
        }
        let from = email.from ?? call.words("mail.nosender")
        return [
            "face": Initials.text(of: from), "faceHue": Initials.hue(of: from),
            "sent": email.sentAt.map(call.formats.time), "isDatedApart": isApart ?? false,
            "id": "\(email.id)", "key": "email-\(email.id)", "subject": subject, "name": subject,
            "from": from, "time": call.formats.time(email.receivedAt),
            "files": email.attachmentCount == 0 ? "" : call.words.count("files", email.attachmentCount),
            "hasFiles": email.attachmentCount > 0, "isFavourite": email.isFavourite, "type": "email",
        ]
    }
}
