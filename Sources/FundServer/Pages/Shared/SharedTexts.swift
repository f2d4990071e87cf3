internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// Notes and mails of an opened link. A link that marks what it shows has none.
extension SharedRoute {
    static let textRoutes: [SharedRoute] = [
        .get("/notes/{note}") { call in
            let opened = try await call.opened()
            let note = try await call.store.sharedNote(try call.id("note"), of: opened.link.id, at: call.now)
            return try await notePage(note, opened, isOnly: false, call)
        },
        .get("/notes/{note}/text") { call in
            let opened = try await call.downloadable()
            let note = try await call.store.sharedNote(try call.id("note"), of: opened.link.id, at: call.now)
            let name = (note.text.title.isEmpty ? call.words("note.untitled") : note.text.title)
            return Response(
                .ok, "text/plain; charset=utf-8", ByteBuffer(string: note.text.content),
                headers: [
                    .contentDisposition: ContentHeaders.disposition(
                        "attachment", name: ZipNames.safe(name).prefix(bytes: 200) + ".txt"),
                    .contentSecurityPolicy: ContentHeaders.policy,
                ])
        },
        .get("/mails/{email}") { call in
            let opened = try await call.opened()
            return try await mailPage(try call.id("email"), opened, isOnly: false, call)
        },
        .get("/mails/{email}/message") { call in
            let opened = try await call.downloadable()
            let id: EmailSummary.ID = try call.id("email")
            _ = try await call.store.sharedEmail(id, of: opened.link.id, at: call.now)
            let raw = try await call.page.library.rawMessage(of: id, of: opened.owner.id)
            let response = try await call.page.download(
                ServedContent(message: "\(id)", digest: raw.digest, size: raw.size))
            return try call.transferring(response) {
                let opened = try await call.downloadable()
                _ = try await call.store.sharedEmail(id, of: opened.link.id, at: call.now)
            }
        }.streamed,
    ]

    static func notePage(
        _ note: NoteEntry, _ opened: OpenedLink, isOnly: Bool, _ call: SharedCall
    ) async throws -> Response {
        var model = head(opened, call)
        let title = call.words.title(note.text.title, of: .note)
        model.merge([
            "name": title, "wording": note.text.content, "time": call.page.formats.exactTime(note.modifiedAt),
            "hasWording": !note.text.content.isEmpty,
        ])
        model["up"] = isOnly ? nil : call.base
        if opened.link.purpose == .download { model["get"] = "\(call.base)/notes/\(note.id)/text" }
        try await call.page.reservePage(of: model)
        return call.page("sharedtext", model, title: title)
    }

    static func mailPage(
        _ id: EmailSummary.ID, _ opened: OpenedLink, isOnly: Bool, _ call: SharedCall
    ) async throws -> Response {
        let email = try await call.store.sharedEmail(id, of: opened.link.id, at: call.now)
        let title = call.words.subject(email.summary.subject)
        let text = try await email.withPlainText { $0 }
        var model = head(opened, call)
        model.merge([
            "name": title, "wording": text, "hasWording": !text.isEmpty,
            "time": call.page.formats.exactTime(email.summary.sentAt ?? email.summary.receivedAt),
            "sender": call.words.sender(email.summary.fromName, email.summary.from), "isMail": true,
        ])
        model["up"] = isOnly ? nil : call.base
        model["files"] = email.attachments.filter { !$0.isInline }.map { attachment in
            let kind = FileKind(attachment.contentType, name: attachment.name)
            return [
                "path": "\(call.base)/attachments/\(attachment.id)", "fileName": attachment.name,
                "badge": kind.badge, "badgeHue": kind.hue, "size": call.page.formats.size(attachment.size),
            ] as PageModel
        }
        let raw = try? await call.page.library.rawMessage(of: id, of: opened.owner.id)
        if opened.link.purpose == .download, raw != nil { model["get"] = "\(call.base)/mails/\(id)/message" }
        try await call.page.reservePage(of: model)
        return call.page("sharedtext", model, title: title)
    }
}
