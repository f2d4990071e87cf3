package import FundCore

/// Signing in, and tokens that are good.
extension RcloneDrives: DriveSigningIn {
    private var exchange: TokenExchange { TokenExchange(policy: policy, limit: limits.tokenWait) }

    package func signInPage(of kind: DriveKind, _ request: DriveSignInRequest) throws -> String {
        let (client, server, address) = try place(kind)
        return server.address(for: client, request, redirect: address)
    }

    package func settings(of kind: DriveKind, _ answer: DriveSignInAnswer) async throws -> DriveSettings {
        let address = try place(kind).address
        do {
            let token = try await exchange.token(of: kind, for: answer, redirect: address)
            var settings = try DriveSettings(kind, [:], token: try token.text)
            settings.accountName = token.accountName
            return settings
        } catch let pause as TokenPause {
            throw pause.error
        }
    }

    package func isSameAccount(_ one: DriveSettings, _ other: DriveSettings) -> Bool {
        let accounts = [one, other].compactMap { try? DriveToken.of($0).account }
        return accounts.count < 2 || accounts[0] == accounts[1]
    }

    private func place(
        _ kind: DriveKind
    ) throws -> (client: DriveClient, server: AuthorizationServer, address: String) {
        if offReason != nil { throw DriveError(.off) }
        guard kinds.contains(kind), let address = policy.rules.signInAddress else {
            throw DriveError(.forbidden, kind.title)
        }
        let (client, server) = try exchange.place(kind)
        return (client, server, address)
    }

    // MARK: Access

    /// A drive of a user with what signs in to it now.
    /// - Parameter refused: a drive with an access token that the store does not take any more.
    func access(
        to id: Drive.ID, _ user: User.ID, afterRefusalOf refused: DriveAccess? = nil
    ) async throws -> DriveAccess {
        do {
            let access = try await store.driveAccess(id, of: user)
            // Nothing is asked of a kind that is not allowed any more.
            guard access.settings.kind.usesOAuth, kinds.contains(access.settings.kind) else { return access }
            return try await tokens.usable(access, besides: try refused.map { try DriveToken.of($0.settings).access })
        } catch let error as StoreError where error.code == .notFound {
            throw DriveError(.notFound)
        }
    }

    /// Throws as `remote(_:)` of settings.
    func remote(_ access: DriveAccess) throws -> RemoteConfiguration {
        var remote = try remote(access.settings)
        remote.drive = "\(access.drive.id)"
        remote.mark = "\(access.drive.id)/\(access.drive.user)/\(access.drive.addedAt)"
        remote.owner = "\(access.drive.user)"
        remote.key = "\(access.drive.id)/\(access.revision)"
        return remote
    }
}
