internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import Ingest

extension PageRoute {
    /// Files of kept mail: as they came, as pictures, and the page that shows those.
    static let deskFileRoutes: [PageRoute] = [
        .office("/desk/messages/{message}/files/{index}") { call in
            let (file, bytes) = try await call.deskFile()
            let content = ServedContent(
                digest: file.digest, size: file.size, name: file.displayName, contentType: file.contentType)
            var fields = ContentHeaders.fields(of: content)
            fields[.acceptRanges] = nil
            return Response(
                status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        },
        .office("/desk/messages/{message}/files/{index}/preview") { call in
            try await call.preview(of: try await call.deskFileForPreview())
        },
        .office("/desk/messages/{message}/files/{index}/view") { call in
            let message: MisrouteRecord.ID = try call.id("message")
            let file = try await call.deskFileForPreview()
            return try await DeskFilePage(message: message, file: file, call: call).response()
        },
    ]
}

/// One page of a file of kept mail, as a picture.
private struct DeskFilePage {
    /// Seconds until a page whose picture is being made loads itself again.
    private static let pause = "2"

    let message: MisrouteRecord.ID
    let file: ServedContent
    let call: PageCall

    func response() async throws -> Response {
        let query = try call.query()
        let (page, user) = (try call.previewPage(query), try call.userID)
        let path = call.request.uri.path
        let base = String(path.dropLast("/view".count))
        var model: PageModel = [
            "name": file.name, "size": call.formats.size(file.size), "message": "/desk/messages/\(message)",
            "download": base,
        ]
        var headers: HTTPFields = [:]
        if let previews = call.parts.previews {
            switch try await previews.picture(.page, page: page, of: file, for: user) {
            case .ready:
                let source = FileBadge.address(base + "/preview", of: file.digest)
                model["source"] = "\(source)&size=1600&page=\(page)"
            case .making, .full:
                model["isMaking"] = true
                headers[.refresh] = Self.pause
            case .failed(let failure): model["why"] = call.words("preview.\(failure.rawValue)")
            }
            let info = await call.previews(of: [PreviewedFile(file, for: user)]).first?.info
            let count = info?.pageCount ?? 1
            model["alternative"] = call.words("viewer.page", "\(page)")
            model["place"] = "\(page) \(call.words("viewer.of", "\(count)"))"
            if page > 1 { model["previousPage"] = "\(path)?page=\(page - 1)" }
            if page < count { model["nextPage"] = "\(path)?page=\(page + 1)" }
        } else {
            model["why"] = call.words("preview.off")
        }
        (model["isOffice"], model["atDesk"]) = (true, true)
        return call.page("deskfile", model, title: file.name, headers: headers)
    }
}
