internal import FundCore
internal import Synchronization

/// Has an access token ready before each operation: one task of all processes asks for the next tokens of a drive, and
/// these are kept before one of them is used.
final class TokenKeeper: Sendable {
    /// Time for which a store is not asked for tokens again after it failed to give any.
    private static let pause = Duration.seconds(5)
    private static let longestPause = Duration.seconds(600)
    /// Drives that are remembered.
    private static let maxDrives = 4096

    private let store: any DriveStore
    private let exchange: TokenExchange
    private let now: @Sendable () -> ContinuousClock.Instant
    private let flights = SingleFlight<Flight, DriveAccess>()
    private let failures = Mutex(BoundedTable<Drive.ID, Failure>(maxEntries: maxDrives))
    /// Tokens that a store has given and that could not be kept: they are not to be lost while this process runs.
    private let unkept = Mutex<[Drive.ID: Unkept]>([:])

    private struct Flight: Hashable {
        var drive: Drive.ID
        var refused: String?
    }

    private struct Failure: Sendable {
        var error: DriveError
        var until: ContinuousClock.Instant
    }

    private struct Unkept: Sendable {
        var token: String
        var revision: Int64
    }

    /// - Parameter now: the clock of pauses after failures.
    init(
        _ store: any DriveStore, _ exchange: TokenExchange, now: @escaping @Sendable () -> ContinuousClock.Instant
    ) {
        (self.store, self.exchange, self.now) = (store, exchange, now)
    }

    /// A drive as it was read just now, with an access token that may be used. Throws `login` where the store has ended
    /// the sign-in.
    /// - Parameter refused: an access token that the store does not take any more.
    func usable(_ access: DriveAccess, besides refused: String? = nil) async throws -> DriveAccess {
        guard try Self.needsRenewal(access, refused) else { return access }
        let (id, user) = (access.drive.id, access.drive.user)
        // In a task of its own: tokens that have come are kept even when no caller waits any more.
        return try await flights.run(Flight(drive: id, refused: refused)) { [self] in
            guard let lease = try await store.tokenLease(of: id) else { throw DriveError(.busy) }
            defer { lease.end() }
            return try await renew(id, user, refused)
        }
    }

    /// Throws `login` for a sign-in that has ended.
    private static func needsRenewal(_ access: DriveAccess, _ refused: String?) throws -> Bool {
        let token = try DriveToken.of(access.settings)
        guard !token.isEnded else { throw DriveError.signInAgain }
        return token.access == refused || !token.isFresh(at: .now)
    }

    private func renew(_ id: Drive.ID, _ user: User.ID, _ refused: String?) async throws -> DriveAccess {
        // Another process may have renewed them meanwhile.
        let access = try await store.driveAccess(id, of: user)
        guard try Self.needsRenewal(access, refused) else { return access }
        let old = try DriveToken.of(access.settings)
        if let waiting = unkept.withLock({ $0[id] }), waiting.revision == access.revision {
            try await keep(waiting.token, id, access.revision)
            return try await store.driveAccess(id, of: user)
        }
        if let failure = failures.withLock({ $0[id] }), failure.until > now() { throw failure.error }
        do {
            let token = try await exchange.refreshed(old, of: access.settings.kind)
            failures.withLock { $0[id] = nil }
            try await keep(try token.text, id, access.revision)
        } catch let error as DriveError where error.problem == .login {
            var ended = old
            ended.isEnded = true
            try await keep(try ended.text, id, access.revision)
            // A person may have signed in anew meanwhile.
            let now = try await store.driveAccess(id, of: user)
            guard try Self.needsRenewal(now, refused) else { return now }
            throw error
        } catch {
            throw note(error, of: id)
        }
        return try await store.driveAccess(id, of: user)
    }

    /// Keeps tokens, unless the settings have changed since: those of a person count.
    private func keep(_ token: String, _ id: Drive.ID, _ revision: Int64) async throws {
        unkept.withLock { $0[id] = Unkept(token: token, revision: revision) }
        _ = try await store.keepToken(token, of: id, ifRevision: revision)
        unkept.withLock { $0[id] = nil }
    }

    /// Remembers the failure of a token endpoint, which is not asked again at once.
    private func note(_ error: any Error, of id: Drive.ID) -> any Error {
        let asked = (error as? TokenPause)?.pause
        guard let failure = (error as? TokenPause)?.error ?? error as? DriveError else { return error }
        let pause = min(max(asked ?? .zero, Self.pause), Self.longestPause)
        failures.withLock { $0[id] = Failure(error: failure, until: now() + pause) }
        return failure
    }
}
