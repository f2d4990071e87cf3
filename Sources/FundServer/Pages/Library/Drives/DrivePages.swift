internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The folders of a drive, and what is done in them.
extension PageRoute {
    static let driveContentRoutes: [PageRoute] = [
        .get("\(DrivePaths.drives)/{drive}") { call in
            try await DrivePage(try await call.drive(), call).response(at: try call.drivePath(try call.query()["path"]))
        },
        .get("\(DrivePaths.drives)/{drive}/content") { call in
            let drive = try await call.drive().id
            return try await call.driveContent(at: try call.driveItem(try call.query()["path"]), of: drive)
        }.streamed,
        .get("\(DrivePaths.drives)/{drive}/entry") { call in
            try await entryPage(try await call.drive(), try call.driveItem(try call.query()["path"]), FieldText(), call)
        },
        // A button of the form opens a folder of the tree on it.
        .post("\(DrivePaths.drives)/{drive}/entry") { call, form in
            try await entryPage(try await call.drive(), try call.driveItem(form["path"]), form, call)
        },
        .post("\(DrivePaths.drives)/{drive}/folders") { call, form in
            let (drive, folder) = (try await call.drive(), try call.drivePath(form["path"]))
            let name = form["name"] ?? ""
            do {
                guard DrivePath.isName(name), let path = folder.appending(name) else { throw DriveError(.name) }
                try await call.makeDriveFolder(path, in: drive.id)
            } catch let failure as DriveError {
                return try await DrivePage(drive, call).response(at: folder, newFolder: name, failure: failure)
            }
            return call.redirect(to: DrivePaths.folder(folder, of: drive.id, [("done", "drive-folder-made")]))
        },
        .post("\(DrivePaths.drives)/{drive}/move") { call, form in
            let (drive, path) = (try await call.drive(), try call.driveItem(form["path"]))
            let name = form["name"] ?? ""
            guard DrivePath.isName(name) else {
                return try await entryPage(drive, path, form, call, failure: DriveError(.name), at: "name")
            }
            let place: DrivePlace
            do {
                place = try await call.chosenDrivePlace(form, in: drive.id)
            } catch let failure as DriveError {
                return try await entryPage(drive, path, form, call, failure: failure, at: "new-folder")
            }
            do {
                guard let target = place.path.appending(name) else { throw DriveError(.name) }
                try await call.moveInDrive(path, to: target, of: drive.id)
            } catch let failure as DriveError {
                return try await entryPage(drive, path, form, call, failure: failure, at: "name")
            }
            return call.redirect(to: DrivePaths.folder(place.path, of: drive.id, [("done", "drive-moved")]))
        },
        // First a page that names what goes: nothing brings it back.
        .post("\(DrivePaths.drives)/{drive}/delete") { call, form in
            let drive = try await call.drive()
            let chosen = try DriveSelection(form, call, atMost: DriveSelection.maxDeleted)
            let back = DrivePaths.folder(chosen.folder, of: drive.id)
            guard !chosen.paths.isEmpty else { return call.redirect(to: LibraryPaths.with(back, "done=nothing")) }
            guard form["sure"] != nil else { return deletePage(drive, chosen, call) }
            var done = 0
            for path in chosen.paths {
                do { try await call.removeFromDrive(path, of: drive.id) } catch let failure as DriveError
                    where failure.problem == .notFound
                {
                    // gone already
                } catch { throw RequestError(error).after(done) }
                done += 1
            }
            return call.redirect(to: LibraryPaths.with(back, "done=drive-deleted"))
        },
    ]

    private static func deletePage(_ drive: Drive, _ chosen: DriveSelection, _ call: PageCall) -> Response {
        var model = chosen.model
        let back = DrivePaths.folder(chosen.folder, of: drive.id)
        model.merge([
            "atDrives": true, "here": back, "back": back, "action": "\(DrivePaths.drive(drive.id))/delete",
            "driveName": drive.name,
        ])
        let title = call.words("drive.delete.title", call.words.count("items", chosen.paths.count))
        return call.page("drivedelete", model, title: title)
    }

    /// - Parameters:
    ///   - form: as it was typed; empty for a page that is opened.
    ///   - field: the input that the failure is about.
    private static func entryPage(
        _ drive: Drive, _ path: DrivePath, _ form: FieldText, _ call: PageCall, failure: DriveError? = nil,
        at field: String = "name"
    ) async throws -> Response {
        let (folder, name) = (path.parent ?? .top, path.name ?? "")
        let back = DrivePaths.folder(folder, of: drive.id)
        var model: PageModel = [
            "atDrives": true, "here": DrivePaths.entry(path, of: drive.id), "back": back,
            "action": DrivePaths.drive(drive.id), "present": name, "path": path.description,
            "folder": folder.description, "key": DriveSelection.field(of: name), "name": form["name"] ?? name,
            "newFolder": form["new-folder"] ?? "", "newFolderFailed": failure != nil && field == "new-folder",
            "isThere": true,
        ]
        do { _ = try await call.driveEntry(at: path, of: drive.id) } catch let gone as DriveError
            where gone.problem == .notFound
        {
            // Nothing can be done with it.
            model.fail(call.words.sentence(gone.requestError))
            model["isThere"] = false
            return call.page("driveentry", model, title: name, status: .notFound)
        } catch is DriveError {
            // Each act says by itself what the store says.
        }
        let present = DrivePlace(drive.id, folder)
        let tree = try await DriveTree(
            [drive], from: present, present: present, without: [path], form,
            opener: "\(DrivePaths.drive(drive.id))/entry", call)
        model.merge(tree.model)
        if let failure {
            model["nameFailed"] = field == "name"
            model.fail(call.words.sentence(failure.requestError), at: field)
        }
        return call.page(
            "driveentry", model, title: call.words("edit.title", name),
            status: failure == nil ? .ok : .unprocessableContent)
    }
}

/// A folder of a drive as a page.
struct DrivePage {
    private let drive: Drive
    private let call: PageCall

    init(_ drive: Drive, _ call: PageCall) { (self.drive, self.call) = (drive, call) }

    /// - Parameter newFolder: the name of a folder that was refused.
    func response(
        at folder: DrivePath, newFolder: String = "", failure: DriveError? = nil
    ) async throws -> Response {
        let (query, words) = (try call.query(), call.words)
        let (order, text) = (try DriveOrder(query), query["q"])
        let here = DrivePaths.folder(folder, of: drive.id)
        var model: PageModel = [
            "atDrives": true, "here": here, "top": DrivePaths.drive(drive.id), "action": DrivePaths.drive(drive.id),
            "back": folder.parent.map { DrivePaths.folder($0, of: drive.id) } ?? DrivePaths.drives,
            "driveName": drive.name, "folder": folder.description, "words": text ?? "", "isFiltered": text != nil,
            "newFolder": newFolder, "trail": DrivePaths.trail(to: folder, of: drive.id), "sorts": sorts(folder, order),
            "watches": DrivePaths.watches(of: drive.id), "watch": DrivePaths.newWatch(folder, of: drive.id),
        ]
        let watches = try await call.driveWatches(of: drive.id)
        if let watch = watches.first(where: { $0.path == folder }) {
            model["watched"] = words("watch.state.\(watch.state.rawValue)")
            model["watchProblem"] = watch.problem.map { words("drive.problem.\($0.rawValue)") }.orAbsent
        }
        var (rows, status): ([PageModel], HTTPResponse.Status) = ([], .ok)
        var emptyText = words(text == nil ? "drive.empty" : "drive.none")
        do {
            if let text {
                rows = try await call.foundInDrive(text, below: folder, of: drive.id).map { hit in
                    row(hit.entry, at: hit.path, isFound: true)
                }
            } else {
                let list = "drive \(drive.id) \(order.word) \(folder)"
                let listing = try await call.driveListing(of: folder, order, of: drive.id)
                let page = try listing.page(try call.section(of: list))
                rows = page.items.compactMap { entry in
                    folder.appending(entry.name).map { row(entry, at: $0, isFound: false) }
                }
                model["total"] = words.count("items", listing.entries.count)
                if listing.unnamed > 0 { model["unnamed"] = words.count("drive.unnamed", listing.unnamed) }
                model["paging"] = try call.paging(
                    DrivePaths.drive(drive.id),
                    [("path", folder.description), ("sort", order.word)], next: page.next, of: list)
            }
            if folder == .top, text == nil { model["space"] = await space() }
        } catch let problem as DriveError {
            status = problem.requestError.status
            if problem.problem == .notFound, let parent = folder.parent { return gone(parent, model, status) }
            // The store's failure stands in the place of the list: the rest of the page is of use all the same.
            model.fail(words.sentence(problem.requestError))
            emptyText = words("drive.unread")
        }
        model["rows"] = rows
        model["isEmpty"] = rows.isEmpty
        model["emptyText"] = emptyText
        if let failure {
            model["folderFailed"] = true
            model.fail(words.sentence(failure.requestError), at: "folder-name")
            status = .unprocessableContent
        }
        return call.page("drive", model, title: folder.name ?? drive.name, status: status)
    }

    /// The page in place of a folder that is not there: nothing can be done in it, and it leads up.
    private func gone(_ parent: DrivePath, _ model: PageModel, _ status: HTTPResponse.Status) -> Response {
        var model = model
        model["isGone"] = true
        model["upText"] = call.words("drive.up", call.words.isolated(parent.name ?? drive.name))
        return call.page("drive", model, title: drive.name, status: status)
    }

    /// Nil where the store does not tell it soon: that is no failure of the page.
    private func space() async -> String? {
        let spaces = await call.driveSpaces(of: [drive], within: DriveSpaceText.wait)
        return spaces[drive.id].flatMap(DriveSpaceText(call.words, call.formats).text)
    }

    private func sorts(_ folder: DrivePath, _ order: DriveOrder) -> [PageModel] {
        DriveOrder.Key.allCases.map { key in
            let isChosen = order.key == key
            // A second press turns the order round.
            let next = DriveOrder(key: key, isDescending: isChosen && !order.isDescending)
            var model: PageModel = [
                "text": call.words("sort.\(key.rawValue)"), "isChosen": isChosen,
                "address": DrivePaths.folder(folder, of: drive.id, [("sort", next.word)]),
            ]
            if isChosen { model["arrow"] = order.isDescending ? "↓" : "↑" }
            return model
        }
    }

    /// - Parameter isFound: a hit stands in another folder than that of the page, and cannot be chosen with others.
    private func row(_ entry: DriveEntry, at path: DrivePath, isFound: Bool) -> PageModel {
        let name = entry.isFolder ? (stem: entry.name, suffix: "") : Self.parts(entry.name)
        let kind = FileKind(entry.contentType ?? "", name: entry.name)
        return [
            "key": isFound ? PageValue.flag(false) : .text(DriveSelection.field(of: entry.name)),
            "name": entry.name, "stem": name.stem, "ending": name.suffix, "isFolder": entry.isFolder,
            "address": entry.isFolder
                ? DrivePaths.folder(path, of: drive.id) : DrivePaths.file(path, of: drive.id),
            "edit": DrivePaths.entry(path, of: drive.id), "badge": kind.badge, "badgeHue": kind.hue,
            "size": entry.size.map(call.formats.size) ?? "",
            "time": entry.modifiedAt.map(call.formats.time).orAbsent,
            "place": (isFound ? path.parent.map(\.description) : nil).orAbsent,
        ]
    }

    private static func parts(_ name: String) -> (stem: String, suffix: String) {
        let parts = FileNameParts(shown: name)
        return (parts.stem, parts.suffix)
    }
}
