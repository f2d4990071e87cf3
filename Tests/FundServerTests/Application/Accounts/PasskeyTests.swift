import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct PasskeyTests {
    private func device(_ algorithm: SoftwareAuthenticator.Algorithm = .es256) throws -> SoftwareAuthenticator {
        SoftwareAuthenticator(algorithm, at: try #require(AccountHarness.site))
    }

    @Test(arguments: SoftwareAuthenticator.Algorithm.allCases)
    func signInAlone(_ algorithm: SoftwareAuthenticator.Algorithm) async throws {
        let harness = try await AccountHarness()
        let device = try device(algorithm)
        #expect(try await harness.add(device)?.count == RecoveryCode.count)
        #expect(try await harness.signIn(device, as: harness.ann) == harness.ann)
        #expect(try await harness.store.accounts.passkeys(of: harness.ann.id).first?.lastUsedAt == harness.clock.now)
        // A second one brings no other recovery codes.
        #expect(try await harness.add(try self.device(algorithm)) == nil)
        // It goes on after another start of the server.
        try harness.restart()
        #expect(try await harness.signIn(device, as: harness.ann) == harness.ann)
    }

    @Test func aChallengeIsGoodOnceAndSoonAndHere() async throws {
        let harness = try await AccountHarness()
        let device = try device()
        _ = try await harness.add(device)
        func challenge(_ act: PasskeyChallenges.Act = .signIn, in browser: String = "browser") -> [UInt8] {
            harness.authenticator.challenges.make(for: act, in: browser, at: harness.clock.now)
        }
        let once = challenge()
        #expect(try await harness.signIn(device, as: harness.ann, challenge: once) == harness.ann)
        #expect(try await harness.signIn(device, as: harness.ann, challenge: once) == nil)
        let late = challenge()
        harness.clock.advance(PasskeyChallenges.lifetime.components.seconds)
        #expect(try await harness.signIn(device, as: harness.ann, challenge: late) == nil)
        let attacks = [
            challenge(in: "another"), challenge(.add(harness.ann.id)), challenge(.confirm(harness.ann.id)),
            Array(challenge().dropLast()), challenge().map { $0 ^ 1 }, [], [UInt8](repeating: 0, count: 56),
        ]
        for attack in attacks { #expect(try await harness.signIn(device, as: harness.ann, challenge: attack) == nil) }
        #expect(try await harness.signIn(device, as: harness.ann, browser: "another") == nil)
        // One of before a start is none of this process.
        let before = challenge()
        try harness.restart()
        #expect(try await harness.signIn(device, as: harness.ann, challenge: before) == nil)
        #expect(try await harness.signIn(device, as: harness.ann) == harness.ann)
        // A wrong signature does not use a challenge up: only who signs it does.
        let shared = challenge()
        #expect(try await harness.signIn(try self.device(), as: harness.ann, challenge: shared) == nil)
        #expect(try await harness.signIn(device, as: harness.ann, challenge: shared) == harness.ann)
    }

    @Test func othersKeysOpenNothing() async throws {
        let harness = try await AccountHarness()
        let (anns, bobs) = (try device(), try device(.ed25519))
        _ = try await harness.add(anns)
        _ = try await harness.add(bobs, of: harness.bob)
        // Bob's key says that it is Ann's; Ann's key, signed by another; a key that was never added.
        #expect(try await harness.signIn(bobs, as: harness.ann) == nil)
        #expect(try await harness.signIn(bobs, as: harness.bob) == harness.bob)
        #expect(try await harness.signIn(try device(), as: harness.ann) == nil)
        var changes = SoftwareAuthenticator.Changes()
        changes.origin = "https://evil.example"
        #expect(try await harness.signIn(anns, as: harness.ann, changes) == nil)
        // Behind Ann's password, Bob's key is no second factor.
        let pending = try await harness.pending()
        #expect(try await harness.signIn(bobs, as: harness.bob, after: pending) == nil)
        #expect(try await harness.signIn(anns, as: nil, after: pending) == harness.ann)
        // A key that is known is not added for another person.
        await #expect(throws: StoreError.self) { _ = try await harness.add(anns, of: harness.bob) }
        try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "t")
        #expect(try await harness.signIn(anns, as: harness.ann) == nil)
    }

    /// A counter that goes back means that two devices have the key.
    @Test func countersOnlyGrow() async throws {
        let harness = try await AccountHarness()
        var device = try device()
        device.counter = 5
        _ = try await harness.add(device)
        for (counter, isTaken) in [(5, false), (6, true), (6, false), (4, false), (0, false), (100, true)] {
            device.counter = UInt32(counter)
            let user = try await harness.signIn(device, as: harness.ann)
            #expect((user != nil) == isTaken, "\(counter)")
        }
        var filter = AuditFilter()
        filter.action = "factor.refuse"
        let refused = try await harness.store.administration.audit(filter, PageQuery()).items.map(\.detail)
        #expect(refused.count == 4 && refused.contains("passkey: Phone: counter 4 after 6"))
        // One that does not count goes on so.
        let still = try self.device()
        _ = try await harness.add(still)
        for _ in 0..<2 { #expect(try await harness.signIn(still, as: harness.ann) == harness.ann) }
    }

    @Test func onlyVerifiedDevicesAreAdded() async throws {
        let harness = try await AccountHarness()
        let device = try device()
        var unverified = SoftwareAuthenticator.Changes()
        unverified.flags = 0x01
        await #expect(throws: WebAuthnError.unverified) { _ = try await harness.add(device, unverified) }
        var foreign = SoftwareAuthenticator.Changes()
        foreign.origin = "https://evil.example"
        await #expect(throws: WebAuthnError.wrongOrigin) { _ = try await harness.add(device, foreign) }
        #expect(try await harness.store.accounts.passkeys(of: harness.ann.id) == [])
        // The challenge of another person's session.
        let session = try await harness.session()
        let challenge = harness.authenticator.challenges.make(
            for: .add(harness.bob.id), in: "browser", at: harness.clock.now)
        let made = device.create(challenge)
        await #expect(throws: AuthenticationError.wrongPasskey) {
            _ = try await harness.authenticator.addPasskey(
                made.client, made.attestation, named: "x", to: device.site, in: "browser", session)
        }
    }

    @Test func removedKeysOpenNothing() async throws {
        let harness = try await AccountHarness()
        let device = try device()
        _ = try await harness.add(device)
        let accounts = harness.store.accounts
        let id = try #require(try await accounts.passkeys(of: harness.ann.id).first?.id)
        let (session, bobs) = (try await harness.session(), try await harness.session(of: harness.bob))
        // Not by others, and not where the rule wants one to stay.
        #expect(try await !accounts.removePasskey(id, in: bobs, rule: .none))
        #expect(try await !accounts.renamePasskey(id, to: "Bob's", in: bobs))
        await #expect { try await accounts.removePasskey(id, in: session, rule: .everybody) } throws: {
            ($0 as? StoreError)?.code == .invalid
        }
        #expect(try await accounts.renamePasskey(id, to: "Key\u{202E}", in: session))
        #expect(try await accounts.passkeys(of: harness.ann.id).map(\.name) == ["Key"])
        #expect(try await accounts.removePasskey(id, in: session, rule: .administrators))
        #expect(try await harness.signIn(device, as: harness.ann) == nil)
        // Recovery codes went with the last factor: the password suffices again.
        #expect(try await accounts.secondFactors(of: harness.ann.id) == SecondFactors())
        #expect(try await harness.refusal() == nil)
    }
}
