internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Watched folders of a drive: which there are, and how they come and go.
extension PageRoute {
    static let watchRoutes: [PageRoute] = [
        .get("\(DrivePaths.drives)/{drive}/watches") { call in
            try await watchesPage(try await call.drive(), call)
        }.live,
        .get("\(DrivePaths.drives)/{drive}/watches/new") { call in
            let (drive, folder) = (try await call.drive(), try call.drivePath(try call.query()["path"]))
            return try await WatchForm(drive, folder, FieldText(), call).response()
        },
        // A button of the form opens a branch of the tree on it.
        .post("\(DrivePaths.drives)/{drive}/watches/new") { call, form in
            try await WatchForm(try await call.drive(), try call.drivePath(form["path"]), form, call).response()
        },
        .post("\(DrivePaths.drives)/{drive}/watches") { call, form in
            try await WatchForm(try await call.drive(), try call.drivePath(form["path"]), form, call).save()
        },
        .post("\(DrivePaths.drives)/{drive}/watches/{watch}/pause") { call, _ in
            try await watchAct(call, done: "watch-paused") {
                _ = try await $0.changeDriveWatch($1, DriveWatchChange(isOn: false))
            }
        },
        .post("\(DrivePaths.drives)/{drive}/watches/{watch}/look") { call, _ in
            try await watchAct(call, done: "watch-on") {
                _ = try await $0.changeDriveWatch($1, DriveWatchChange(isOn: true))
            }
        },
        .post("\(DrivePaths.drives)/{drive}/watches/{watch}/remove") { call, _ in
            try await watchAct(call, done: "watch-removed") { try await $0.removeDriveWatch($1) }
        },
    ]

    private static func watchAct(
        _ call: PageCall, done: String, _ act: (PageCall, DriveWatch.ID) async throws -> Void
    ) async throws -> Response {
        let watch = try await call.driveWatch()
        do { try await act(call, watch.id) } catch let failure as StoreError where failure.code == .notFound {
            // Its fund is gone: the list says so.
            return call.redirect(to: DrivePaths.watches(of: watch.drive))
        }
        return call.redirect(to: LibraryPaths.with(DrivePaths.watches(of: watch.drive), "done=\(done)"))
    }

    private static func watchesPage(_ drive: Drive, _ call: PageCall) async throws -> Response {
        // Before anything is read: what changes after it is shown by the stream.
        let version = try await call.driveStore.driveVersion(of: try call.userID)
        let watches = try await call.driveWatches(of: drive.id)
        var rows: [PageModel] = []
        for watch in watches { rows.append(try await row(watch, call)) }
        var model: PageModel = [
            "atDrives": true, "here": DrivePaths.watches(of: drive.id), "back": DrivePaths.drive(drive.id),
            "driveName": drive.name, "isEmpty": rows.isEmpty, "rows": rows,
            "drivesVersion": "\(version)",
            "add": DrivePaths.newWatch(.top, of: drive.id),
        ]
        if watches.contains(where: { $0.state == .on && $0.counts.waiting > 0 }) {
            model["reload"] = PageCall.refreshSeconds
        }
        return call.page("drivewatches", model, title: call.words("drives.watches"))
    }

    /// Names of files that one folder shows.
    private static let maxRefused = 5

    private static func row(_ watch: DriveWatch, _ call: PageCall) async throws -> PageModel {
        let (words, user) = (call.words, try call.userID)
        var refused: [String] = []
        if watch.counts.refused > 0 {
            refused = try await call.driveStore.refusedFiles(of: watch.id, user).prefix(maxRefused).map { file in
                let reason = file.problem.map { words("drive.problem.\($0.rawValue)") } ?? ""
                return "\(words.isolated(file.name)): \(reason)"
            }
        }
        // A fund that is gone has no name any more.
        let fund = try? await call.library.fund(watch.place.fund, of: user).name
        return [
            "id": "\(watch.id)", "path": watch.path == .top ? words("place.top") : watch.path.description,
            "address": DrivePaths.folder(watch.path, of: watch.drive),
            "action": "\(DrivePaths.watches(of: watch.drive))/\(watch.id)",
            "fund": fund.orAbsent, "state": words("watch.state.\(watch.state.rawValue)"),
            "isOn": watch.state == .on, "every": words("watch.every", "\(watch.rules.minutes)"),
            "then": words("watch.filed", words("watch.then.\(watch.rules.disposition.rawValue)")),
            "amount": words("watch.amount", "\(watch.counts.filed)", "\(watch.counts.waiting)"),
            "looked": watch.lookedAt.map(call.formats.time).orAbsent,
            "problem": watch.problem.map { words("drive.problem.\($0.rawValue)") }.orAbsent,
            "refused": (refused.isEmpty ? nil : words.count("watch.refused", watch.counts.refused)).orAbsent,
            "names": refused,
        ]
    }
}

/// The page on which a folder is watched from then on.
struct WatchForm {
    private let drive: Drive
    private let folder: DrivePath
    private let form: FieldText
    private let call: PageCall

    init(_ drive: Drive, _ folder: DrivePath, _ form: FieldText, _ call: PageCall) {
        (self.drive, self.folder, self.form, self.call) = (drive, folder, form, call)
    }

    func save() async throws -> Response {
        guard let place = PlaceChoice.place(form["at"] ?? "") else {
            throw RequestError.invalid("choose a place")
        }
        guard let minutes = Int(form["minutes"] ?? "") else {
            return try await response(
                StoreError("watch a folder", InputProblem(.watchMinutes, "minutes is a number")).requestError,
                at: "minutes")
        }
        let disposition = DriveWatch.Disposition(rawValue: form["then"] ?? "") ?? .leave
        let rules = WatchRules(disposition, folder: form["subfolder"] ?? WatchRules.usualFolder, minutes: minutes)
        do {
            let name = form["new-folder"] ?? ""
            _ = try await call.addDriveWatch(
                NewDriveWatch(
                    drive: drive.id, path: folder, place: place, rules: rules, newFolder: name.isEmpty ? nil : name))
        } catch let failure as DriveError {
            return try await response(failure.requestError, at: nil)
        } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
            return try await response(failure.requestError, at: Self.field(of: failure))
        }
        return call.redirect(to: LibraryPaths.with(DrivePaths.watches(of: drive.id), "done=watch-added"))
    }

    private static func field(of failure: StoreError) -> String? {
        switch failure.problem {
        case .watchTaken, .tooManyWatches: nil
        case .watchMinutes: "minutes"
        default: failure.code == .alreadyExists ? "new-folder" : "subfolder"
        }
    }

    /// - Parameter field: the input that the failure is about.
    func response(_ failure: RequestError? = nil, at field: String? = nil) async throws -> Response {
        let (words, back) = (call.words, DrivePaths.folder(folder, of: drive.id))
        guard let fund = try await call.library.funds(of: try call.userID, PageQuery(limit: 1)).items.first else {
            return call.redirect(to: "/library")
        }
        let tree = try await PlaceTree(of: [], from: LibraryPlace(fund: fund.id), isMail: false, form, call)
        let chosen = form["then"] ?? DriveWatch.Disposition.leave.rawValue
        var model: PageModel = [
            "atDrives": true, "here": back, "back": back, "action": "\(DrivePaths.watches(of: drive.id))",
            "folder": folder.description, "newFolder": form["new-folder"] ?? "",
            "minutes": form["minutes"] ?? "\(WatchRules.usualMinutes)",
            "subfolder": form["subfolder"] ?? WatchRules.usualFolder,
            "choices": DriveWatch.Disposition.allCases.map {
                PageModel.choice($0.rawValue, words("watch.then.\($0.rawValue)"), isChosen: $0.rawValue == chosen)
            },
        ]
        model.merge(tree.model)
        if let failure {
            model.fail(words.sentence(failure), at: field)
            switch field {
            case "minutes": model["minutesFailed"] = true
            case "subfolder": model["subfolderFailed"] = true
            case "new-folder": model["folderFailed"] = true
            default: break
            }
        }
        let name = folder.name ?? drive.name
        return call.page(
            "drivewatch", model, title: words("watch.title", words.isolated(name)),
            status: failure == nil ? .ok : .unprocessableContent)
    }
}
