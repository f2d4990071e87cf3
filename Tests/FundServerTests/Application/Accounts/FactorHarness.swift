import FundCore
import FundStore
import Testing

@testable import FundHTTP
@testable import FundServer

extension AccountHarness {
    static let site = RelyingParty(url: "https://funds.corp.example")

    /// A session of Ann's, in which she changes her factors.
    func session(of user: User? = nil) async throws -> FactorSession {
        let user = user ?? ann
        let token = try await authenticator.issueToken(.web, for: user, label: "t")
        return FactorSession(user: user.id, token: token.record.id, now: clock.now)
    }

    /// Sets up an authenticator app. Gives the app, and the recovery codes.
    func addCodeApp(of user: User? = nil) async throws -> (app: TimeCode, codes: [String]?) {
        let app = TimeCode(secret: RandomBytes.make(TimeCode.secretBytes))
        let codes = try await authenticator.setCodeApp(
            app, typed: app.code(ofStep: TimeCode.step(at: clock.now)), try await session(of: user))
        clock.advance(TimeCode.stepSeconds)
        return (app, codes)
    }

    /// Adds a passkey of a device. Gives the recovery codes, if there were none.
    func add(
        _ device: SoftwareAuthenticator, of user: User? = nil, _ changes: SoftwareAuthenticator.Changes = .init()
    ) async throws -> [String]? {
        let session = try await session(of: user)
        let challenge = authenticator.challenges.make(for: .add(session.user), in: "browser", at: clock.now)
        let made = device.create(challenge, changes)
        return try await authenticator.addPasskey(
            made.client, made.attestation, named: "Phone", to: device.site, in: "browser", session)
    }

    func code(_ app: TimeCode, _ later: Int64 = 0) -> String {
        app.code(ofStep: TimeCode.step(at: clock.now) + later)
    }

    /// A login of Ann's whose password was right.
    func pending(from address: String? = nil) async throws -> PendingLogin {
        let login = try await authenticator.begin(
            .web, name: "ann@example.com", password: AccountHarness.password,
            from: address.map { ClientAddress($0) } ?? here, label: "t")
        guard case .pending(let pending) = login else { throw AuthenticationError.expired }
        return pending
    }

    /// The refusal of a code behind the right password; nil when it signs in.
    func refusal(ofCode code: String, from address: String? = nil) async throws -> AuthenticationError? {
        let pending = try await pending(from: address)
        do {
            _ = try await authenticator.logIn(
                .web, pending, code: code, from: address.map { ClientAddress($0) } ?? here, label: "t")
            return nil
        } catch let refusal as AuthenticationError {
            return refusal
        }
    }

    /// The user whom a passkey signs in; nil when it is refused.
    func signIn(
        _ device: SoftwareAuthenticator, as user: User?, _ changes: SoftwareAuthenticator.Changes = .init(),
        challenge: [UInt8]? = nil, browser: String = "browser", after pending: PendingLogin? = nil
    ) async throws -> User? {
        let challenge =
            challenge ?? authenticator.challenges.make(for: .signIn, in: "browser", at: clock.now)
        let answer = try #require(try device.answer(challenge, of: user?.id, changes))
        do {
            return try await authenticator.logIn(
                by: answer, to: device.site, in: browser, after: pending, label: "t"
            ).user
        } catch AuthenticationError.wrongPasskey {
            return nil
        }
    }
}
