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
            var fields = ContentHeaders.fields(of: ServedContent(file))
            fields[.acceptRanges] = nil
            return Response(
                status: .ok, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
        },
        .office("/desk/messages/{message}/files/{index}/preview") { call in
            let file = try await call.deskFileForPreview()
            guard let previews = call.parts.previews else { throw RequestError.previewsOff }
            // Not the thumbnail: with that begins the work whose words the search finds, and which the file gets when
            // it is filed.
            let page = try call.previewPage(try call.query())
            let answer = try await previews.picture(.page, page: page, of: file, for: try call.userID)
            return try PreviewResponses.response(
                answer, "image/webp", of: file, version: try call.query()["v"], to: call.request)
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
            "download": base, "alternative": call.words("viewer.page", "\(page)"),
        ]
        if let previews = call.parts.previews {
            switch try await previews.picture(.page, page: page, of: file, for: user) {
            case .ready:
                let source = FileBadge.address(base + "/preview", of: file.digest)
                model["source"] = "\(source)&page=\(page)"
                // The next page is made before it is asked for; behind the last there is none.
                let next = try await previews.source.picture(
                    .page, page: page + 1, of: PreviewedFile(file, for: user), waitingAtMost: .zero)
                if case .failed = next {} else { model["nextPage"] = "\(path)?page=\(page + 1)" }
            case .making, .full:
                model["isMaking"] = true
                model["refresh"] = PageCall.refreshSeconds
            case .failed(let failure): model["why"] = call.words("preview.\(failure.rawValue)")
            }
            if page > 1 { model["previousPage"] = "\(path)?page=\(page - 1)" }
        } else {
            model["why"] = call.words("preview.off")
        }
        (model["isOffice"], model["atDesk"]) = (true, true)
        return call.page("deskfile", model, title: file.name)
    }
}
