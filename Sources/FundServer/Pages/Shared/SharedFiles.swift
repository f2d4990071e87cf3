internal import FundHTTP
internal import FundCore
internal import HTTPTypes
internal import Hummingbird

/// A file or attachment of an opened link: its page, its pictures, and where the link is for it, its bytes.
extension SharedRoute {
    static let fileRoutes: [SharedRoute] =
        contentRoutes(below: "/files/{file}") { call, opened in
            SharedContent(try await call.store.sharedFile(try call.id("file"), of: opened.link.id, at: call.now), call)
        }
        + contentRoutes(below: "/attachments/{attachment}") { call, opened in
            SharedContent(
                try await call.store.sharedAttachment(try call.id("attachment"), of: opened.link.id, at: call.now),
                call)
        }

    private static func contentRoutes(
        below path: String, _ find: @escaping @Sendable (SharedCall, OpenedLink) async throws -> SharedContent
    ) -> [SharedRoute] {
        [
            .get(path) { call in
                let opened = try await call.opened()
                return try await contentPage(try await find(call, opened), opened, isOnly: false, call)
            },
            .get("\(path)/content") { call in
                let opened = try await call.downloadable()
                var content = try await find(call, opened).content
                content.isInline = try call.page.query().flag("inline")
                let digest = content.digest
                let response = try await call.page.download(content)
                guard !response.isSmall else { return response }
                return try call.transferring(response) {
                    let found = try await find(call, try await call.downloadable())
                    guard found.content.digest == digest else { throw RequestError.notFound }
                }
            }.streamed,
            .get("\(path)/preview") { call in
                let opened = try await call.opened()
                return try await SharedPicture(opened, call).response(try await find(call, opened).content)
            },
        ]
    }

    static func filePage(
        _ file: FileEntry, _ opened: OpenedLink, isOnly: Bool, _ call: SharedCall
    ) async throws -> Response {
        try await contentPage(SharedContent(file, call), opened, isOnly: isOnly, call)
    }

    private static func contentPage(
        _ file: SharedContent, _ opened: OpenedLink, isOnly: Bool, _ call: SharedCall
    ) async throws -> Response {
        var model = head(opened, call)
        let name = FileNameParts(shown: file.content.name)
        model.merge([
            "name": file.content.name, "stem": name.stem, "ending": name.suffix,
            "size": call.page.formats.size(file.content.size),
        ])
        model["time"] = file.content.modifiedAt.map(call.page.formats.exactTime)
        model["up"] = isOnly ? nil : try await upPath(of: file, opened, call)
        if opened.link.purpose == .download { model["get"] = "\(file.path)/content" }
        model.merge(try await SharedViewer(file, opened, call).model)
        return call.page("sharedfile", model, title: file.content.name)
    }

    /// The list in which a file stands, as far as the link shows it.
    private static func upPath(
        of file: SharedContent, _ opened: OpenedLink, _ call: SharedCall
    ) async throws -> String? {
        if let email = file.email { return "\(call.base)/mails/\(email)" }
        if let id = file.id, opened.link.items.contains(.file(id)) {
            return opened.link.items.count > 1 ? call.base : nil
        }
        return file.folder.map { "\(call.base)/folders/\($0)" }
    }
}

extension Response {
    /// Whether it goes in one piece, which takes no time in which a link could end.
    fileprivate var isSmall: Bool { body.contentLength.map { $0 <= 64 * 1024 } ?? false }
}

/// A file or an attachment that a link shows.
struct SharedContent: Sendable {
    let content: ServedContent
    /// Its own address.
    let path: String
    var id: FileEntry.ID?
    /// The folder in which a file lies.
    var folder: FolderEntry.ID?
    /// The mail of an attachment.
    var email: EmailSummary.ID?

    init(_ file: FileEntry, _ call: SharedCall) {
        content = ServedContent(file)
        path = "\(call.base)/files/\(file.id)"
        (id, folder) = (file.id, file.folder)
    }

    init(_ attachment: AttachmentEntry, _ call: SharedCall) {
        content = ServedContent(attachment)
        path = "\(call.base)/attachments/\(attachment.id)"
        email = attachment.email
    }
}
