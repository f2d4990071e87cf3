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
    /// Bytes of a code: those of Microsoft have some thousand.
    private static let maxCodeBytes = 8192

    private let call: PageCall

    init(_ call: PageCall) { self.call = call }

    /// Leads to the page of a store. By a link: a form may lead to no other site.
    func leading(to kind: DriveKind, at address: String) -> Response {
        page("address", address, call.words("drives.signin.title", kind.title))
    }

    /// Adds the drive, or gives the code to the person who brings it to a program.
    func returned(_ query: QueryText) async throws -> Response {
        let state = query["state"] ?? ""
        guard let begun = try call.begunDriveSignIn(state) else { return ended("drives.signin.ended") }
        guard let code = query["code"], !code.isEmpty, code.utf8.count <= Self.maxCodeBytes else {
            return ended("drives.signin.refused")
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
            return failed(call.words.sentence(failure.requestError), title)
        } catch let failure as StoreError where failure.isOne(of: .alreadyExists, .invalid) {
            return failed(call.words.sentence(failure.requestError), title)
        }
    }

    private func ended(_ word: String) -> Response { failed(call.words(word), call.words("drives.add")) }

    private func failed(_ sentence: String, _ title: String) -> Response {
        page("problem", sentence, title, status: .unprocessableContent)
    }

    private func page(
        _ name: String, _ text: String, _ title: String, status: HTTPResponse.Status = .ok
    ) -> Response {
        var model: PageModel = ["atDrives": true, "here": DrivePaths.drives, "back": DrivePaths.drives]
        model[name] = text
        return call.page("drivesignin", model, title: title, status: status)
    }
}
