internal import FundHTTP
internal import HTTPTypes
internal import FundCore

/// Adding drives by signing in on the pages of their stores.
extension UserCall {
    /// Throws `DriveError`: `off`, and `forbidden` where no store has such pages.
    private var driveSigningIn: any DriveSigningIn {
        get throws {
            guard hasDrives else { throw DriveError(.off) }
            guard let signing = parts.driveSigningIn else { throw DriveError(.forbidden) }
            return signing
        }
    }

    /// Refuses another account: what is under way would go on in it.
    private static var otherAccount: RequestError {
        var error = RequestError(
            .conflict, "drive-account", "this is another account of the store: add it as a drive of its own")
        error.problem = error.code
        return error
    }

    /// No store has refused anything.
    private static var endedSignIn: RequestError {
        let detail = "this sign-in has ended, or was begun elsewhere: begin it anew"
        var error = RequestError(.unprocessableContent, "drive-login", detail)
        (error.reason, error.problem) = (DriveProblem.login.rawValue, "drive-signin-ended")
        return error
    }

    /// Begins a sign-in. Returns the state that comes back with the code, and the address of the store's page.
    /// - Parameters:
    ///   - name: of the drive that is added.
    ///   - drive: the one that is signed in to anew; nil for one that is added.
    ///   - isOfProgram: whether a person carries the code to the program that began.
    func beginDriveSignIn(
        _ kind: DriveKind, name: String, drive: Drive.ID? = nil, isOfProgram: Bool
    ) async throws -> (state: String, address: String) {
        let (signing, user) = (try driveSigningIn, try userID)
        guard kind.usesOAuth else { throw DriveError(.settings, "kind: it has no page where people sign in") }
        // A person who has consented is told nothing that was known before.
        if drive == nil { try await driveStore.checkNewDrive(named: name, of: user) }
        let request = try parts.driveSignIns.begin(
            DriveSignIns.Begun(
                kind: kind, name: name, drive: drive, user: user, session: signedIn?.token?.id,
                isOfProgram: isOfProgram))
        return (request.state, try signing.signInPage(of: kind, request))
    }

    /// A sign-in that this user has begun; nil for another text.
    func begunDriveSignIn(_ state: String) throws -> DriveSignIns.Begun? {
        parts.driveSignIns.look(state, of: try userID)
    }

    /// Ends a sign-in that the person refused on the store's page. That of another session stays.
    func endDriveSignIn(_ state: String) throws {
        _ = parts.driveSignIns.take(state, of: try userID, in: signedIn?.token?.id)
    }

    /// Keeps the host that a store named, for the program that is given the code alone.
    func keepHost(_ host: String, ofDriveSignIn state: String) { parts.driveSignIns.keepHost(host, of: state) }

    /// Keeps the drive of a sign-in, once its store has been asked. Throws `DriveError`: `login` for a code
    /// that the store refuses. Throws `RequestError`: `drive-login` for a sign-in that has ended or is another
    /// session's, and `drive-account` where a drive is signed in to with another account.
    /// - Parameter host: the host of the account's region, where the store named it; nil for the one that was kept.
    func finishDriveSignIn(_ state: String, code: String, host: String?) async throws -> Drive {
        let signing = try driveSigningIn
        guard code.utf8.count <= DriveSignIns.maxCodeBytes else { throw DriveError(.login, "that is no code") }
        guard let begun = parts.driveSignIns.take(state, of: try userID, in: signedIn?.token?.id) else {
            throw Self.endedSignIn
        }
        let settings = try await signing.settings(
            of: begun.kind, DriveSignInAnswer(code: code, verifier: begun.verifier, host: host ?? begun.host))
        guard let drive = begun.drive else { return try await addDrive(begun.name, settings) }
        do {
            let old = try await driveStore.driveAccess(drive, of: begun.user).settings
            guard signing.isSameAccount(old, settings) else { throw Self.otherAccount }
        } catch let error as DriveError where error.problem == .login {
            // Settings that cannot be unsealed any more tell no account.
        }
        return try await changeDrive(drive, name: nil, settings)
    }
}
