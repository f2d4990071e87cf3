internal import Hummingbird
internal import FundCore

extension PageRoute {
    /// One file, and its bytes.
    static let filePageRoutes: [PageRoute] = [
        .get("/library/files/{file}") { call in
            let provenance = try await call.library.provenance(of: try call.id("file"), of: try call.userID)
            let file = provenance.file
            let head = try await FundHead(file.fund, .files, call)
            let kind = FileKind(file.contentType, name: file.name)
            let refusal = try await call.parts.store.quarantine.refusal(of: file.digest)
            let name = FileNameParts(shown: file.name)
            var model: PageModel = [
                "fund": head.model, "hasPaper": true, "type": "file", "stem": name.stem, "ending": name.suffix,
                "id": "\(file.id)",
                "name": file.name, "badge": kind.badge,
                "badgeHue": kind.hue,
                "size": call.formats.size(file.size), "time": call.formats.time(file.modifiedAt),
                "digest": file.digest.hex, "isFavourite": file.isFavourite,
                "up": LibraryPaths.place(LibraryPlace(fund: file.fund, folder: file.folder)),
                "origin": try await ProvenanceStrip(provenance, call).model,
                "twins": try await twins(provenance.sameContent, call),
                "hasTwins": !provenance.sameContent.isEmpty,
            ]
            switch refusal {
            case .malware?: model["refusal"] = call.words("error.quarantined")
            case .unscanned?: model["refusal"] = call.words("error.unscanned")
            case nil: model.merge(try await ShownFile(file, kind, call).model)
            }
            model["beside"] = try await BesideLinks.of(.file(file.id), call)
            return call.page("file", model, title: file.name)
        },
        .get("/library/files/{file}/content") { call in
            var content = try await call.fileContent()
            content.isInline = try call.query().flag("inline")
            return try await call.download(content)
        }.streamed,
    ]

    private static func twins(_ files: [FileEntry], _ call: PageCall) async throws -> [PageModel] {
        var names: [Fund.ID: String] = [:]
        for fund in Set(files.map(\.fund)) { names[fund] = try await call.library.fund(fund, of: try call.userID).name }
        return files.map { file in
            [
                "name": file.name, "address": "/library/files/\(file.id)", "fund": names[file.fund] ?? "",
                "hue": FundHue.name(file.fund), "time": call.formats.time(file.modifiedAt),
            ]
        }
    }
}

/// Where a file came from, step by step.
struct ProvenanceStrip {
    let model: PageModel

    init(_ provenance: FileProvenance, _ call: PageCall) async throws {
        let file = provenance.file
        guard let origin = provenance.origin else {
            // The mail may be deleted; an attachment's bytes never change.
            model = [
                "isDeleted": file.attachment != nil, "isUpload": file.attachment == nil,
                "time": call.formats.time(file.createdAt),
            ]
            return
        }
        let (email, attachment, words) = (origin.email, origin.attachment, call.words)
        var model: PageModel = [
            "email": "\(email.id)",
            "subject": words.subject(email.subject),
            "from": email.from ?? words("mail.nosender"), "received": call.formats.time(email.receivedAt),
            "sentName": attachment.name, "isRenamed": provenance.isRenamed,
            "attached": origin.number.map { words("origin.number", "\($0)", "\(email.attachmentCount)") }
                ?? words("origin.inline"),
        ]
        if let container = origin.container { model["container"] = container.name }
        if provenance.isMoved {
            model["isMoved"] = true
            if let folder = file.folder {
                model["folder"] = try await call.library.folder(folder, of: try call.userID).name
            }
        }
        self.model = model
    }
}
