internal import Hummingbird
internal import FundCore

/// A file that is opened: what is in it, and in the drawer what is known of it.
enum OpenedFile {
    static func content(_ id: FileEntry.ID, in list: ShownList, _ call: PageCall) async throws -> OpenedContent {
        let user = try call.userID
        let provenance = try await call.library.provenance(of: id, of: user)
        let file = provenance.file
        let fund = try await call.library.fund(file.fund, of: user)
        let versions = try await versions(of: file, in: list, call)
        var model = try await shown(file, in: list, call)
        model.merge([
            "origin": try await ProvenanceStrip(provenance, call).model,
            "versions": versions, "hasVersions": !versions.isEmpty,
            "twins": try await twins(provenance.sameContent, call),
            "hasTwins": !provenance.sameContent.isEmpty,
        ])
        if case .files = list {
        } else {
            let place = LibraryPlace(fund: file.fund, folder: file.folder)
            model["up"] = ShownList.files(place, try FilesView(try call.query(), call.request)).link(to: .file(id))
        }
        return OpenedContent(
            title: file.name, fund: fund, isFavourite: file.isFavourite, model: ["file": model])
    }

    /// Values of a file that its bytes and its row tell: its content, name, size and time.
    static func shown(_ file: FileEntry, in list: ShownList, _ call: PageCall) async throws -> PageModel {
        let kind = FileKind(file.contentType, name: file.name)
        let name = FileNameParts(shown: file.name)
        var model: PageModel = [
            "stem": name.stem, "ending": name.suffix, "name": file.name, "badge": kind.badge, "badgeHue": kind.hue,
            "size": call.formats.size(file.size), "time": call.formats.exactTime(file.modifiedAt),
            "digest": file.digest.hex, "contents": list.contents(of: file.id),
        ]
        switch try await call.parts.store.quarantine.refusal(of: file.digest) {
        case .malware?: model["refusal"] = call.words("error.quarantined")
        case .unscanned?: model["refusal"] = call.words("error.unscanned")
        case nil: model.merge(try await ShownFile(file, kind, in: list, call).model)
        }
        return model
    }

    /// The versions of the file, itself among them, latest first; none where there is only this.
    private static func versions(
        of file: FileEntry, in list: ShownList, _ call: PageCall
    ) async throws -> [PageModel] {
        let files = try await call.library.versions(of: file.id, of: try call.userID)?.files ?? []
        return files.enumerated().map { index, one in
            [
                "number": "\(files.count - index)", "name": one.name, "address": list.link(to: .file(one.id)),
                "isThis": one.id == file.id, "time": call.formats.time(one.modifiedAt),
            ]
        }
    }

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
