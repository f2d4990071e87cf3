internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// Files on their way between drives and funds: how they begin, and how far they are.
extension PageRoute {
    static let transferRoutes: [PageRoute] = [
        .get(DrivePaths.transfers) { call in try await transfersPage(call) }.live,
        .post("\(DrivePaths.transfers)/{transfer}/cancel") { call, _ in
            try await transferAct(call, done: "transfer-cancelled") { try await $0.cancelTransfer($1, of: $2) }
        },
        .post("\(DrivePaths.transfers)/{transfer}/retry") { call, _ in
            try await transferAct(call, done: "transfer-begun") { try await $0.retryTransfer($1, of: $2) }
        },
        // A form, since what is selected does not fit into an address. Whatever opens a branch of the tree on it is a
        // button of the same form.
        .post("\(DrivePaths.drives)/{drive}/take") { call, form in
            try await takePage(try await call.drive(), try DriveSelection(form, call), form, call)
        },
        .post("\(DrivePaths.drives)/{drive}/taken") { call, form in
            let (drive, chosen) = (try await call.drive(), try DriveSelection(form, call))
            guard let place = PlaceChoice.place(form["at"] ?? "") else {
                throw RequestError.invalid("choose a place")
            }
            do {
                let name = form["new-folder"] ?? ""
                _ = try await call.beginTransfer(
                    NewDriveTransfer(
                        drive: drive.id, work: .pull(chosen.paths, into: place), newFolder: name.isEmpty ? nil : name))
            } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
                return try await takePage(drive, chosen, form, call, failure: failure.requestError)
            }
            return call.redirect(to: "\(DrivePaths.transfers)?done=transfer-begun")
        },
        .get("\(DrivePaths.drives)/copy") { call in
            let query = try call.query()
            return try await copyPage(try ItemSelection(query: query), call.localPath(query["back"]), call)
        },
        // Things that are selected in a list of a fund; a button of the form opens a folder of the tree on it.
        .post("\(DrivePaths.drives)/copy") { call, form in
            let (chosen, back) = (try ItemSelection(form: form), call.localPath(form["back"]))
            return try await copyPage(chosen, back, call, form)
        },
        .post("\(DrivePaths.drives)/copied") { call, form in
            let (chosen, back) = (try ItemSelection(form: form), call.localPath(form["back"]))
            do {
                let place = try await call.chosenDrivePlace(form)
                _ = try await call.beginTransfer(
                    NewDriveTransfer(drive: place.drive, work: .push(copied(chosen).items, into: place.path)))
            } catch let failure as DriveError {
                return try await copyPage(chosen, back, call, form, failure: failure.requestError)
            } catch let failure as StoreError where failure.code == .invalid {
                return try await copyPage(chosen, back, call, form, failure: failure.requestError)
            }
            return call.redirect(to: "\(DrivePaths.transfers)?done=transfer-begun")
        },
    ]

    /// Mails and notes stay in their fund.
    private static func copied(_ chosen: ItemSelection) -> ItemSelection {
        ItemSelection(items: chosen.items.filter { $0.kind == .file || $0.kind == .folder })
    }

    private static func transferAct(
        _ call: PageCall, done: String, _ act: (any DriveStore, DriveTransfer.ID, User.ID) async throws -> Void
    ) async throws -> Response {
        do {
            try await act(try call.driveStore, try call.id("transfer"), try call.userID)
        } catch let failure as StoreError where failure.code == .conflict {
            // It ended meanwhile, or goes on: the list shows which.
            return call.redirect(to: DrivePaths.transfers)
        }
        return call.redirect(to: "\(DrivePaths.transfers)?done=\(done)")
    }

    private static func takePage(
        _ drive: Drive, _ chosen: DriveSelection, _ form: FieldText, _ call: PageCall, failure: RequestError? = nil
    ) async throws -> Response {
        let back = DrivePaths.folder(chosen.folder, of: drive.id)
        guard !chosen.paths.isEmpty else { return call.redirect(to: LibraryPaths.with(back, "done=nothing")) }
        guard let fund = try await call.library.funds(of: try call.userID, PageQuery(limit: 1)).items.first else {
            return call.redirect(to: "/library")
        }
        let tree = try await PlaceTree(of: [], from: LibraryPlace(fund: fund.id), isMail: false, form, call)
        var model = chosen.model
        model.merge([
            "atDrives": true, "here": back, "back": back, "action": DrivePaths.drive(drive.id),
            "newFolder": form["new-folder"] ?? "",
        ])
        model.merge(tree.model)
        if let failure {
            model["folderFailed"] = true
            model.fail(call.words.sentence(failure), at: "new-folder")
        }
        let title = call.words("drive.take.title", call.words.count("items", chosen.paths.count))
        return call.page("drivetake", model, title: title, status: failure == nil ? .ok : .unprocessableContent)
    }

    private static func copyPage(
        _ chosen: ItemSelection, _ back: String?, _ call: PageCall, _ form: FieldText = FieldText(),
        failure: RequestError? = nil
    ) async throws -> Response {
        let (items, back) = (copied(chosen).items, back ?? "/library")
        guard !items.isEmpty else {
            let done = chosen.items.isEmpty ? "nothing" : "texts-stay"
            return call.redirect(to: LibraryPaths.with(back, "done=\(done)"))
        }
        let drives = try await call.driveStore.drives(of: try call.userID)
        let named = try await NamedItems(items, call)
        guard !named.names.isEmpty else { throw RequestError.notFound }
        var model: PageModel = [
            "atDrives": true, "here": "\(DrivePaths.drives)/copy", "back": back,
            "items": items.map(ItemSelection.key), "names": named.names, "hasMore": named.hasMore,
            "isAlone": drives.isEmpty, "isLeavingText": items.count < chosen.items.count,
            "newFolder": form["new-folder"] ?? "", "newFolderFailed": failure != nil,
        ]
        let first = drives.count == 1 ? drives.first.map { DrivePlace($0.id) } : nil
        model.merge(try await DriveTree(drives, from: first, form, opener: "\(DrivePaths.drives)/copy", call).model)
        if let failure { model.fail(call.words.sentence(failure), at: "new-folder") }
        let title = call.words("drive.copy.title", call.words.count("items", items.count))
        return call.page("drivecopy", model, title: title, status: failure == nil ? .ok : .unprocessableContent)
    }

    private static func transfersPage(_ call: PageCall) async throws -> Response {
        let (store, user, list) = (try call.driveStore, try call.userID, "transfers")
        // Before anything is read: what changes after it is shown by the stream.
        let version = try await store.driveVersion(of: user)
        let names = Dictionary(
            try await store.drives(of: user).map { ($0.id, $0.name) }, uniquingKeysWith: { first, _ in first })
        let page = try await store.transfers(of: user, try call.section(of: list))
        var funds: [Fund.ID: String] = [:]
        // A fund that is gone has no name any more.
        for fund in Set(page.items.compactMap { $0.place?.fund }) {
            funds[fund] = try? await call.library.fund(fund, of: user).name
        }
        let named = funds
        var model: PageModel = [
            "atDrives": true, "here": DrivePaths.transfers, "back": DrivePaths.drives, "isEmpty": page.items.isEmpty,
            "drivesVersion": "\(version)",
            "rows": page.items.map { transfer in
                row(transfer, names[transfer.drive] ?? "", transfer.place.flatMap { named[$0.fund] }, call)
            },
        ]
        model["paging"] = try call.paging(DrivePaths.transfers, next: page.next, of: list)
        if page.items.contains(where: { !$0.state.isEnded }) { model["reload"] = PageCall.refreshSeconds }
        return call.page("transfers", model, title: call.words("drives.transfers"))
    }

    /// How fast it is, and how long it takes; nil while nothing moves.
    private static func pace(of transfer: DriveTransfer, _ call: PageCall) -> String? {
        guard let rate = call.parts.transferRates.rate(of: transfer) else { return nil }
        let pace = call.words("transfer.rate", call.formats.size(Int64(rate)))
        let rest = transfer.progress.totalBytes - transfer.progress.bytes
        guard rest > 0, rate >= 1 else { return pace }
        return "\(pace) · \(call.words("transfer.left", call.formats.duration(Double(rest) / rate)))"
    }

    private static func row(
        _ transfer: DriveTransfer, _ drive: String, _ fund: String?, _ call: PageCall
    ) -> PageModel {
        let (words, progress, from) = (call.words, transfer.progress, call.words.isolated(drive))
        let names = transfer.direction == .pull ? transfer.paths.compactMap(\.name) : []
        let what = names.count == 1 ? names[0] : words.count("items", max(names.count, transfer.items.count))
        let isPull = transfer.direction == .pull
        let pulled = fund.map { words("transfer.pull.named", from, words.isolated($0)) } ?? words("transfer.pull", from)
        let done = call.formats.size(progress.bytes)
        let all = call.formats.size(max(progress.bytes, progress.totalBytes))
        var problem = transfer.problem.map { words("drive.problem.\($0.rawValue)") }
        if progress.failedFiles > 0 {
            problem = words.count("transfer.failed", progress.failedFiles) + (problem.map { " \($0)" } ?? "")
        }
        return [
            "id": "\(transfer.id)", "name": what, "icon": isPull ? "get" : "put",
            "way": isPull ? pulled : words("transfer.push", from),
            "state": words("transfer.state.\(transfer.state.rawValue)"),
            "amount": words("transfer.amount", "\(progress.files)", "\(progress.totalFiles)", done, all),
            "pace": pace(of: transfer, call).orAbsent, "isRunning": !transfer.state.isEnded,
            "isCounted": progress.totalBytes > 0,
            "canRetry": transfer.watch == nil && (transfer.state == .failed || transfer.state == .cancelled),
            "done": "\(min(progress.bytes, max(progress.totalBytes, 1)))", "all": "\(max(progress.totalBytes, 1))",
            "problem": problem.orAbsent, "time": call.formats.time(transfer.endedAt ?? transfer.addedAt),
            "action": "\(DrivePaths.transfers)/\(transfer.id)",
        ]
    }
}
