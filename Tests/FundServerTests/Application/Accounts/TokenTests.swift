import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

@Suite struct TokenTests {
    private func refusal(_ body: () async throws -> SignedIn) async throws -> AuthenticationError? {
        do {
            _ = try await body()
            return nil
        } catch let refusal as AuthenticationError {
            return refusal
        }
    }

    @Test func tokensAreRandomAndKeptAsHashes() async throws {
        let harness = try await AccountHarness()
        let tokens = try await [
            harness.authenticator.issueToken(.web, for: harness.ann, label: "a"),
            harness.authenticator.issueToken(.web, for: harness.ann, label: "a"),
        ]
        #expect(Set(tokens.map(\.characters)).count == 2)
        for token in tokens {
            #expect(token.characters.utf8.count == 43)
            #expect(try await harness.store.accounts.token(.of(token.characters.utf8))?.record.id == token.record.id)
        }
    }

    @Test func aBearerTokenSlidesAndEnds() async throws {
        let harness = try await AccountHarness()
        let token = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "browser")
        let lifetime = harness.settings.webLifetime.components.seconds
        for _ in 0..<3 {
            harness.clock.advance(lifetime - 1)
            let signedIn = try await harness.authenticator.user(bearing: token.characters)
            #expect(signedIn.user == harness.ann && signedIn.token?.id == token.record.id)
            // Two that are written at the same moment may be written in either order.
            try await untilNoted(harness, token.record.id, harness.clock.now)
        }
        try harness.restart()
        harness.clock.advance(lifetime - 1)
        #expect(try await refusal { try await harness.authenticator.user(bearing: token.characters) } == nil)
        harness.clock.advance(lifetime)
        #expect(try await refusal { try await harness.authenticator.user(bearing: token.characters) } == .expired)
        for text in ["", "x", token.characters + "=", token.characters.lowercased()] {
            #expect(try await refusal { try await harness.authenticator.user(bearing: text) } == .wrongCredentials)
        }
    }

    /// The use is written down beside the request, so it takes a moment.
    private func untilNoted(_ harness: AccountHarness, _ id: TokenRecord.ID, _ time: Timestamp) async throws {
        let isNoted = try await becomesTrue {
            try await harness.store.accounts.tokens(of: nil).first { $0.id == id }?.lastUsedAt == time
        }
        #expect(isNoted)
    }

    @Test func shortTokensSlideToo() async throws {
        var settings = AccountSettings.quick
        settings.webLifetime = .seconds(60)
        let harness = try await AccountHarness(settings)
        let token = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "browser")
        for _ in 0..<10 {
            harness.clock.advance(50)
            #expect(try await refusal { try await harness.authenticator.user(bearing: token.characters) } == nil)
        }
        harness.clock.advance(60)
        #expect(try await refusal { try await harness.authenticator.user(bearing: token.characters) } == .expired)
    }

    /// The tokens that were deleted as long expired leave their ids to later ones, and nothing else.
    @Test func whoComesBackAfterALongTimeSignsIn() async throws {
        let harness = try await AccountHarness()
        let before = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "browser")
        _ = try await harness.authenticator.user(bearing: before.characters)
        try await untilNoted(harness, before.record.id, harness.clock.now)
        harness.clock.advance(30 * 86_400)
        let after = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "browser")
        #expect(after.record.id == before.record.id)
        #expect(try await refusal { try await harness.authenticator.user(bearing: after.characters) } == nil)
        #expect(
            try await refusal { try await harness.authenticator.user(bearing: before.characters) } == .wrongCredentials)
    }

    @Test func usesAreWrittenOnceAMinute() async throws {
        let harness = try await AccountHarness()
        let token = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "browser")
        let first = harness.clock.now
        _ = try await harness.authenticator.user(bearing: token.characters)
        try await untilNoted(harness, token.record.id, first)
        harness.clock.advance(59)
        _ = try await harness.authenticator.user(bearing: token.characters)
        harness.clock.advance(1)
        _ = try await harness.authenticator.user(bearing: token.characters)
        try await untilNoted(harness, token.record.id, first + .seconds(60))
    }

    @Test func tokensOpenTheirOwnDoorOnly() async throws {
        let harness = try await AccountHarness()
        for kind in [TokenKind.mobile, .app] {
            let token = try await harness.authenticator.issueToken(kind, for: harness.ann, label: "x")
            #expect(
                try await refusal { try await harness.authenticator.user(bearing: token.characters) }
                    == .wrongCredentials
            )
        }
    }

    @Test func revokedAndDisabledAreRefusedAtOnce() async throws {
        let harness = try await AccountHarness()
        let web = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "x")
        let other = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "y")
        for token in [web, other] { _ = try await harness.authenticator.user(bearing: token.characters) }
        try await harness.store.accounts.revokeToken(web.record.id, of: harness.ann.id, actor: "t")
        #expect(
            try await refusal { try await harness.authenticator.user(bearing: web.characters) } == .wrongCredentials)
        #expect(try await refusal { try await harness.authenticator.user(bearing: other.characters) } == nil)
        try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "t")
        #expect(
            try await refusal { try await harness.authenticator.user(bearing: other.characters) } == .wrongCredentials)
        try await harness.store.administration.setDisabled(false, user: harness.ann.id, actor: "t")
        // A token that ended does not come back: a lost device would be signed in again.
        #expect(
            try await refusal { try await harness.authenticator.user(bearing: other.characters) } == .wrongCredentials)
        let new = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "z")
        #expect(try await refusal { try await harness.authenticator.user(bearing: new.characters) } == nil)
        try await harness.setPassword("another long one", of: harness.ann)
        #expect(
            try await refusal { try await harness.authenticator.user(bearing: new.characters) } == .wrongCredentials)
    }

    @Test func credentialsAreBelievedForMinutes() async throws {
        let harness = try await AccountHarness()
        func basic(_ password: String = AccountHarness.password) async throws -> AuthenticationError? {
            try await refusal {
                try await harness.authenticator.user(named: "A@example.com", password: password, from: harness.here)
            }
        }
        let before = harness.authenticator.hashCount
        for _ in 0..<5 { #expect(try await basic() == nil) }
        #expect(harness.authenticator.hashCount == before + 1)
        // Another's change costs no hash, one's own ends it.
        try await harness.setPassword("another long one", of: harness.bob)
        #expect(try await basic() == nil)
        #expect(harness.authenticator.hashCount == before + 1)
        harness.clock.advance(harness.settings.credentialLifetime.components.seconds)
        #expect(try await basic() == nil)
        #expect(harness.authenticator.hashCount == before + 2)
        try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "t")
        #expect(try await basic() == .wrongCredentials)
        try await harness.store.administration.setDisabled(false, user: harness.ann.id, actor: "t")
        #expect(try await basic() == nil)
        try await harness.setPassword("another long one", of: harness.ann)
        #expect(try await basic() == .wrongCredentials)
        #expect(try await basic("another long one") == nil)
        // Many at a time are proved once.
        harness.clock.advance(3600)
        let count = harness.authenticator.hashCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try await harness.authenticator.user(
                        named: "ann@example.com", password: "another long one", from: harness.here)
                }
            }
            try await group.waitForAll()
        }
        #expect(harness.authenticator.hashCount == count + 1)
    }

    /// Two programs at one place, one of them with a password of last year.
    @Test func whatWasRightIsNotKeptOut() async throws {
        let harness = try await AccountHarness()
        func basic(_ password: String) async throws -> AuthenticationError? {
            try await refusal {
                try await harness.authenticator.user(named: "ann@example.com", password: password, from: harness.here)
            }
        }
        #expect(try await basic(AccountHarness.password) == nil)
        harness.clock.advance(1000)
        for _ in 0..<5 { #expect(try await basic("of last year") == .wrongCredentials) }
        guard case .tooManyFailures = try await basic("of last year") else {
            Issue.record("nobody waits")
            return
        }
        let count = harness.authenticator.hashCount
        #expect(try await basic(AccountHarness.password) == nil)
        #expect(harness.authenticator.hashCount == count + 1)
        try await harness.setPassword("another long one", of: harness.ann)
        #expect(try await basic(AccountHarness.password) != nil)
    }

    @Test func appPasswordsNeedNoHashAndNoWaiting() async throws {
        let harness = try await AccountHarness()
        let app = try await Accounts(store: harness.store.accounts).addAppPassword(
            "drive", reach: .files, for: harness.ann, at: harness.clock.now, actor: "t")
        func basic(_ name: String, _ password: String) async throws -> AuthenticationError? {
            try await refusal {
                try await harness.authenticator.user(named: name, password: password, from: harness.here)
            }
        }
        for _ in 0..<5 { #expect(try await basic("ann@example.com", "wrong") == .wrongCredentials) }
        guard case .tooManyFailures = try await basic("ann@example.com", AccountHarness.password) else {
            Issue.record("nobody waits")
            return
        }
        let count = harness.authenticator.hashCount
        for typed in [
            app.characters, app.characters.uppercased(), app.characters.filter { $0 != "-" },
            app.characters.map { $0 == "-" ? " " : "\($0)" }.joined(),
        ] {
            #expect(try await basic("A@Example.com", typed) == nil, "\(typed)")
        }
        #expect(harness.authenticator.hashCount == count)
        #expect(try await basic("bob@example.com", app.characters) == .wrongCredentials)
        #expect(try await harness.refusal("ann@example.com", app.characters, from: "192.0.2.9") == .wrongCredentials)
        try await harness.store.accounts.revokeToken(app.record.id, of: harness.ann.id, actor: "t")
        #expect(try await basic("ann@example.com", app.characters) == .wrongCredentials)
    }

    @Test func signsNeedTheTokenAlsoAfterARestart() async throws {
        let harness = try await AccountHarness()
        let tokens = try await [
            harness.authenticator.issueToken(.mobile, for: harness.ann, label: "one"),
            harness.authenticator.issueToken(.mobile, for: harness.ann, label: "two"),
        ]
        let call = SignedCall(method: "GET", path: "/funds/1", query: "ts=1")
        func answer(_ user: User.ID, _ key: String) async throws -> AuthenticationError? {
            try await refusal {
                try await harness.authenticator.user(user, signing: call, with: call.sign(key: Array(key.utf8)))
            }
        }
        for _ in 0..<2 {
            for token in tokens {
                #expect(try await answer(harness.ann.id, token.characters) == nil)
                #expect(try await answer(harness.bob.id, token.characters) == .wrongCredentials)
                #expect(try await answer(99, token.characters) == .wrongCredentials)
            }
            #expect(try await answer(harness.ann.id, "") == .wrongCredentials)
            try harness.restart()
        }
        try await harness.store.accounts.revokeToken(tokens[0].record.id, of: harness.ann.id, actor: "t")
        #expect(try await answer(harness.ann.id, tokens[0].characters) == .wrongCredentials)
        harness.clock.advance(3599)
        #expect(try await answer(harness.ann.id, tokens[1].characters) == nil)
        harness.clock.advance(3600)
        #expect(try await answer(harness.ann.id, tokens[1].characters) == .expired)
        let third = try await harness.authenticator.issueToken(.mobile, for: harness.ann, label: "three")
        try await harness.store.administration.setDisabled(true, user: harness.ann.id, actor: "t")
        #expect(try await answer(harness.ann.id, third.characters) == .expired)
    }

    /// A stranger may name anybody and send a large body: that costs one hash of it, however many tokens there are to
    /// try.
    @Test func signsCostOneHashOfTheBody() async throws {
        let harness = try await AccountHarness()
        for _ in 0..<100 { _ = try await harness.authenticator.issueToken(.mobile, for: harness.ann, label: "t") }
        let body = [UInt8](repeating: 1, count: 4 * 1024 * 1024)
        var (hashing, checking) = ([Duration](), [Duration]())
        for _ in 0..<3 {
            let clock = ContinuousClock()
            hashing.append(clock.measure { for _ in 0..<10 { _ = ContentDigest.of(body) } })
            checking.append(
                try await clock.measure {
                    let call = SignedCall(method: "POST", path: "/notes/1/1", query: "ts=1", body: body)
                    let refusal = try await refusal {
                        try await harness.authenticator.user(harness.ann.id, signing: call, with: call.sign(key: [1]))
                    }
                    #expect(refusal == .wrongCredentials)
                })
        }
        #expect(try #require(checking.min()) < #require(hashing.min()), "\(checking) \(hashing)")
    }

    @Test func aSealedTokenOpensInItsOwnRowOnly() throws {
        let seal = TokenSeal(serverKey: Array(repeating: 7, count: 32))
        let sealed = try seal.seal("secret", of: 1)
        let digest = ContentDigest.of("secret".utf8)
        #expect(seal.open(sealed, of: 1, digest: digest) == Array("secret".utf8))
        #expect(seal.open(sealed, of: 2, digest: digest) == nil)
        #expect(seal.open(sealed, of: 1, digest: .of("other".utf8)) == nil)
        #expect(TokenSeal(serverKey: Array(repeating: 8, count: 32)).open(sealed, of: 1, digest: digest) == nil)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(seal.open(changed, of: 1, digest: digest) == nil)
        }
        #expect(seal.open([], of: 1, digest: digest) == nil)
        #expect(try seal.seal("secret", of: 1) != sealed)
    }
}
