internal import FundHTTP
internal import Hummingbird
internal import FundCore

/// The way to the page of a store and back.
extension PageRoute {
    static let driveSignInRoutes: [PageRoute] = [
        // It is the only page that does something by being opened: a store can lead back in no other way. The state
        // is that of this session, and is good once.
        .get(DrivePaths.signIn) { call in
            try call.context.requireSecrecy()
            _ = try call.driveStore
            return try await DriveSignInPage(call).returned(try call.query())
        }
    ]
}

/// The page before that of a store, and the return from there.
struct DriveSignInPage {
    private let call: PageCall

    init(_ call: PageCall) { self.call = call }

    /// Leads to the page of a store. By a link: a form may lead to no other site.
    func leading(to kind: DriveKind, at address: String) -> Response {
        page("storePage", address, call.words("drives.signin.title", kind.title))
    }

    /// Adds the drive, or gives the code to the person who brings it to a program.
    func returned(_ query: QueryText) async throws -> Response {
        let state = query["state"] ?? ""
        guard let begun = try call.begunDriveSignIn(state) else { return ended("drives.signin.ended") }
        guard let code = query["code"], !code.isEmpty, code.utf8.count <= DriveSignIns.maxCodeBytes else {
            // Nothing more comes of it.
            if query["error"] != nil { try call.endDriveSignIn(state) }
            return ended("drives.signin.refused", begun.drive)
        }
        let title = call.words("drives.signin.title", begun.kind.title)
        if begun.isOfProgram {
            if let host = query["hostname"] { call.keepHost(host, ofDriveSignIn: state) }
            return page("code", code, title)
        }
        do {
            let drive = try await call.finishDriveSignIn(state, code: code, host: query["hostname"])
            let done = begun.drive == nil ? "drive-added" : "drive-saved"
            return call.redirect(to: "\(DrivePaths.drive(drive.id))?done=\(done)")
        } catch let failure as DriveError {
            return failed(call.words.sentence(failure.requestError), title, begun.drive)
        } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
            return failed(call.words.sentence(failure.requestError), title, begun.drive)
        } catch let failure as RequestError where failure.problem != nil {
            return failed(call.words.sentence(failure), title, begun.drive)
        }
    }

    private func ended(_ word: String, _ drive: Drive.ID? = nil) -> Response {
        failed(call.words(word), call.words(drive == nil ? "drives.add" : "drives.signin"), drive)
    }

    /// - Parameter drive: the one that is signed in to anew.
    private func failed(_ sentence: String, _ title: String, _ drive: Drive.ID?) -> Response {
        page("problem", sentence, title, status: .unprocessableContent, drive)
    }

    private func page(
        _ name: String, _ text: String, _ title: String, status: HTTPResponse.Status = .ok, _ drive: Drive.ID? = nil
    ) -> Response {
        var model: PageModel = ["atDrives": true, "here": DrivePaths.drives, "back": DrivePaths.drives]
        model["again"] = drive.map { "\(DrivePaths.drive($0))/settings" }.orAbsent
        model[name] = text
        return call.page("drivesignin", model, title: title, status: status)
    }
}
