internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// A mail as it came, and its files.
    static let mailRoutes: [PageRoute] = [
        .get("/library/emails/{email}/original") { call in try await call.rawMessage() }.streamed,
        .get("/library/attachments/{attachment}") { call in
            try await call.download(try await call.attachmentContent())
        }.streamed,
    ]

    static let mailFrameRoutes: [PageRoute] = [
        .get("/library/emails/{email}/frame") { call in
            let (id, user) = (try call.id("email"), try call.userID) as (EmailSummary.ID, User.ID)
            let email = try await call.library.email(id, of: user)
            // On its own it would be a page of this site that says what a mail wants.
            guard call.request.headers[.secFetchDest] == "iframe" else {
                return call.redirect(to: "/library/emails/\(id)?view=html")
            }
            // A look at the head uses no address up, and is worth no run of the sanitizer.
            guard call.request.method == .get else { return MailFrame.response(nil, remotePictures: false) }
            let isGranted = call.pages.pictureGrants.use(try call.query()["pictures"], for: .email(id), of: user)
            let document = MailDocument(email, showsRemotePictures: isGranted)
            return try await MailFrame.response(of: document, remotePictures: isGranted, call)
        }.streamed,
        .post("/library/emails/{email}/pictures") { call, form in
            let email = try await call.library.email(try call.id("email"), of: try call.userID).summary.id
            let token = call.pages.pictureGrants.make(for: .email(email), of: try call.userID)
            // To the page that shows the mail, as its HTML.
            let shown = String(PageQueryText.text([("view", "html"), ("pictures", token)]).dropFirst())
            let back = call.localPath(form["back"]) ?? "/library/emails/\(email)"
            return call.redirect(to: LibraryPaths.with(back, shown))
        },
        .get("/library/leaving") { call in
            guard let link = LeavingPage.link(try call.query()["to"], call) else { throw RequestError.notFound }
            return LeavingPage.response(link, call)
        },
    ]
}

/// The answer with a mail's document.
enum MailFrame {
    /// Nothing is loaded and nothing runs, and the document is of no origin; links open outside of the frame.
    static func policy(remotePictures: Bool) -> String {
        [
            "default-src 'none'", "style-src 'unsafe-inline'", "img-src data:\(remotePictures ? " https:" : "")",
            "form-action 'none'", "base-uri 'none'", "frame-ancestors 'self'",
            "sandbox allow-popups allow-popups-to-escape-sandbox",
        ].joined(separator: "; ")
    }

    /// Sends a mail's document, or says that it cannot be shown.
    static func response(
        of document: MailDocument, remotePictures: Bool, _ call: PageCall
    ) async throws -> Response {
        guard let mail = try await document.sanitized(by: call.pages.sanitizedMails, for: try call.userID) else {
            return response(MailDocument.notice(call.words("mail.unreadable")), remotePictures: false)
        }
        try await call.context.reserveResponse(of: document.size(of: mail))
        return response(try await document.rendered(mail, call), remotePictures: remotePictures)
    }

    /// - Parameter document: nil when only the head is asked for: it has no length then (RFC 9110 §8.6).
    static func response(_ document: ByteBuffer?, remotePictures: Bool) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "private, no-store",
                .contentSecurityPolicy: policy(remotePictures: remotePictures), .referrerPolicy: "no-referrer",
                .dnsPrefetchControl: "off",
            ],
            body: document.map(ResponseBody.init(byteBuffer:))
                ?? ResponseBody { writer in try await writer.finish(nil) })
    }
}

extension HTTPField.Name {
    static let dnsPrefetchControl = constant("X-DNS-Prefetch-Control")
}
