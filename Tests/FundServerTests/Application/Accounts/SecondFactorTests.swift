import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct SecondFactorTests {
    @Test func aPasswordAloneOpensNothing() async throws {
        let harness = try await AccountHarness()
        let (app, codes) = try await harness.addCodeApp()
        #expect(codes?.count == RecoveryCode.count)
        #expect(try await harness.refusal() == .secondFactorAsked)
        await #expect(throws: AuthenticationError.secondFactorAsked) {
            _ = try await harness.authenticator.user(
                named: "ann@example.com", password: AccountHarness.password, from: harness.here)
        }
        #expect(try await harness.refusal(ofCode: harness.code(app)) == nil)
        // Others are not asked, and wrong passwords are told apart from none.
        #expect(try await harness.refusal("bob@example.com") == nil)
        #expect(try await harness.refusal("ann@example.com", "wrong") == .wrongCredentials)
    }

    /// Each code once, over restarts, and none of an earlier step after it.
    @Test func codesAreNotTakenAgain() async throws {
        let harness = try await AccountHarness()
        let (app, _) = try await harness.addCodeApp()
        let (now, before) = (harness.code(app), harness.code(app, -1))
        #expect(try await harness.refusal(ofCode: now) == nil)
        try harness.restart()
        #expect(try await harness.refusal(ofCode: now) == .wrongCode)
        #expect(try await harness.refusal(ofCode: before) == .wrongCode)
        harness.clock.advance(TimeCode.stepSeconds)
        #expect(try await harness.refusal(ofCode: now) == .wrongCode)
        #expect(try await harness.refusal(ofCode: harness.code(app)) == nil)
        // The code that proved the app when it was set up is used, too: see the harness, which waits a step.
        #expect(try await harness.refusal(ofCode: harness.code(app, 2)) == .wrongCode)
    }

    @Test func recoveryCodesAreUsedUp() async throws {
        let harness = try await AccountHarness()
        let (_, made) = try await harness.addCodeApp()
        let codes = try #require(made)
        for (index, code) in codes.enumerated() {
            #expect(try await harness.refusal(ofCode: code.uppercased()) == nil)
            #expect(try await harness.refusal(ofCode: code) == .wrongCode)
            let left = try await harness.store.accounts.secondFactors(of: harness.ann.id).recoveryCodesLeft
            #expect(left == codes.count - index - 1)
        }
        // Who has used up all of them is still asked for one.
        #expect(try await harness.refusal() == .secondFactorAsked)
        let (new, digests) = harness.authenticator.makeRecoveryCodes(for: harness.ann.id)
        try await harness.store.accounts.setRecoveryCodes(digests, in: try await harness.session())
        #expect(try await harness.refusal(ofCode: new[3]) == nil)
        #expect(try await harness.refusal(ofCode: codes[4]) == .wrongCode)
    }

    /// A right password clears no wrong codes, and another network has no guesses of its own.
    @Test func guessesAreFew() async throws {
        let harness = try await AccountHarness()
        let (app, _) = try await harness.addCodeApp()
        for _ in 0..<5 { #expect(try await harness.refusal(ofCode: "000000") == .wrongCode) }
        #expect(try await harness.refusal(ofCode: harness.code(app)) == .tooManyFailures(retryAfterSeconds: 2))
        // Nor do other people's codes.
        let (bobs, _) = try await harness.addCodeApp(of: harness.bob)
        let login = try await harness.authenticator.begin(
            .web, name: "bob@example.com", password: AccountHarness.password, from: harness.here, label: "t")
        guard case .pending(let pending) = login else { throw AuthenticationError.expired }
        _ = try await harness.authenticator.logIn(
            .web, pending, code: harness.code(bobs), from: harness.here, label: "t")
        for index in 1...6 {
            #expect(try await harness.refusal(ofCode: "000000", from: "198.51.100.\(index)") == .wrongCode)
        }
        let wait = try await harness.refusal(ofCode: harness.code(app), from: "203.0.113.1")
        #expect(wait == .tooManyFailures(retryAfterSeconds: 2))
        harness.clock.advance(3600)
        #expect(try await harness.refusal(ofCode: harness.code(app)) == nil)
        var filter = AuditFilter()
        filter.action = "factor.refuse"
        let refused = try await harness.store.administration.audit(filter, PageQuery()).items
        #expect(refused.count == 11 && refused.allSatisfy { $0.subject == "ann@example.com" && $0.detail == "code" })
    }

    /// Whatever is typed as a name, it does not count as a code of a user.
    @Test func strangersDelayNoCodes() async throws {
        let harness = try await AccountHarness()
        let (app, _) = try await harness.addCodeApp()
        for _ in 0..<15 {
            for name in ["\(harness.ann.id)", "ann@example.com"] {
                _ = try await harness.refusal(name, "wrong", from: "203.0.113.9")
            }
            harness.clock.advance(1000)
        }
        #expect(try await harness.refusal(ofCode: harness.code(app)) == nil)
    }

    @Test func aPendingLoginEnds() async throws {
        let harness = try await AccountHarness()
        let (app, _) = try await harness.addCodeApp()
        let seal = harness.authenticator.pendingLogins
        let pending = try await harness.pending()
        let text = try seal.text(of: pending, at: harness.clock.now)
        #expect(seal.login(text, at: harness.clock.now) == pending)
        #expect(seal.login(text, at: harness.clock.now + PendingLoginSeal.lifetime) == nil)
        #expect(seal.login(text + "A", at: harness.clock.now) == nil && seal.login(nil, at: 0) == nil)
        #expect(PendingLoginSeal().login(text, at: harness.clock.now) == nil)
        // It is no token.
        await #expect(throws: AuthenticationError.self) { _ = try await harness.authenticator.user(bearing: text) }
        // Another password ends it, and so does disabling the user.
        try await harness.setPassword("another horse battery", of: harness.ann)
        await #expect(throws: AuthenticationError.wrongCredentials) {
            _ = try await harness.authenticator.logIn(
                .web, pending, code: harness.code(app), from: harness.here, label: "t")
        }
    }

    /// The sessions that a password alone had opened end; those of programs with app passwords go on.
    @Test func theFirstFactorEndsOtherSessions() async throws {
        let harness = try await AccountHarness()
        let old = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "t")
        let app = try await harness.authenticator.issueToken(.app, for: harness.ann, label: "t")
        _ = try await harness.addCodeApp()
        await #expect(throws: AuthenticationError.wrongCredentials) {
            _ = try await harness.authenticator.user(bearing: old.characters)
        }
        let program = try await harness.authenticator.user(
            named: "ann@example.com", password: app.characters, from: harness.here)
        #expect(program.user == harness.ann)
        // A session that has ended changes nothing.
        let session = try await harness.session()
        try await harness.store.accounts.revokeToken(session.token, of: harness.ann.id, actor: "t")
        await #expect { try await harness.store.accounts.removeCodeApp(in: session, rule: .none) } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
    }

    @Test func aLostOneIsTakenAway() async throws {
        let harness = try await AccountHarness()
        _ = try await harness.addCodeApp()
        let accounts = harness.store.accounts
        let session = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "t")
        await #expect {
            try await accounts.removeSecondFactors(of: harness.ann.id, at: 1, actor: "bob@example.com")
        } throws: { ($0 as? StoreError)?.code == .conflict }
        #expect(try await accounts.removeSecondFactors(of: harness.ann.id, at: harness.clock.now, actor: "t"))
        #expect(try await !accounts.removeSecondFactors(of: harness.ann.id, at: harness.clock.now, actor: "t"))
        await #expect(throws: AuthenticationError.wrongCredentials) {
            _ = try await harness.authenticator.user(bearing: session.characters)
        }
        #expect(try await harness.refusal() == nil)
        // The person is told once.
        #expect(try await accounts.takeRemovalNotice(of: harness.ann.id))
        #expect(try await !accounts.takeRemovalNotice(of: harness.ann.id))
    }

    @Test func whoMustHaveOneHasNothingBefore() async throws {
        var settings = AccountSettings.quick
        settings.secondFactors = { .everybody }
        let harness = try await AccountHarness(settings)
        let token = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "t")
        #expect(try await harness.authenticator.user(bearing: token.characters).lacksSecondFactor)
        // Nor does a device go on that was signed in before the rule.
        let device = try await harness.authenticator.issueToken(.mobile, for: harness.ann, label: "t")
        let call = SignedCall(method: "GET", path: "/funds/1", query: "ts=1")
        await #expect(throws: AuthenticationError.secondFactorMissing) {
            _ = try await harness.authenticator.user(
                harness.ann.id, signing: call, with: call.sign(key: Array(device.characters.utf8)))
        }
        await #expect(throws: AuthenticationError.secondFactorMissing) {
            _ = try await harness.authenticator.user(
                named: "ann@example.com", password: AccountHarness.password, from: harness.here)
        }
        #expect(try await harness.store.accounts.usersLackingSecondFactor(by: .everybody).count == 2)
        #expect(try await harness.store.accounts.usersLackingSecondFactor(by: .administrators) == [])
        _ = try await harness.addCodeApp()
        #expect(try await harness.store.accounts.usersLackingSecondFactor(by: .everybody) == ["bob@example.com"])
        let next = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "t")
        #expect(try await !harness.authenticator.user(bearing: next.characters).lacksSecondFactor)
    }
}
