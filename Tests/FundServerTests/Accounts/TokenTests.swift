import FundStore
import FundCore
import TestSupport
import Testing

@testable import FundServer

@Suite struct TokenTests {
    private func refusal(_ body: () async throws -> SignedIn) async throws -> AuthenticationRefusal? {
        do {
            _ = try await body()
            return nil
        } catch let refusal as AuthenticationRefusal {
            return refusal
        }
    }

    @Test func tokensAreRandomAndKeptAsHashes() async throws {
        let trial = try await AccountTrial()
        let tokens = try await [
            trial.authenticator.issueToken(.web, for: trial.ann, label: "a"),
            trial.authenticator.issueToken(.web, for: trial.ann, label: "a"),
        ]
        #expect(Set(tokens.map(\.characters)).count == 2)
        for token in tokens {
            #expect(token.characters.utf8.count == 43)
            #expect(try await trial.store.token(.of(token.characters.utf8))?.record.id == token.record.id)
        }
    }

    @Test func aBearerTokenSlidesAndEnds() async throws {
        let trial = try await AccountTrial()
        let token = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "browser")
        let lifetime = trial.settings.webLifetime.components.seconds
        for _ in 0..<3 {
            trial.clock.advance(lifetime - 1)
            let signedIn = try await trial.authenticator.user(bearing: token.characters)
            #expect(signedIn.user == trial.ann && signedIn.token?.id == token.record.id)
        }
        try await untilNoted(trial, token.record.id, trial.clock.now)
        try trial.restart()
        trial.clock.advance(lifetime - 1)
        #expect(try await refusal { try await trial.authenticator.user(bearing: token.characters) } == nil)
        trial.clock.advance(lifetime)
        #expect(try await refusal { try await trial.authenticator.user(bearing: token.characters) } == .expired)
        for text in ["", "x", token.characters + "=", token.characters.lowercased()] {
            #expect(try await refusal { try await trial.authenticator.user(bearing: text) } == .wrongCredentials)
        }
    }

    /// The use is written down beside the request, so it takes a moment.
    private func untilNoted(_ trial: AccountTrial, _ id: TokenRecord.ID, _ time: Int64) async throws {
        let isNoted = try await becomesTrue {
            try await trial.store.tokens(of: nil).first { $0.id == id }?.lastUsedAt == time
        }
        #expect(isNoted)
    }

    @Test func shortTokensSlideToo() async throws {
        var settings = AccountSettings.quick
        settings.webLifetime = .seconds(60)
        let trial = try await AccountTrial(settings)
        let token = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "browser")
        for _ in 0..<10 {
            trial.clock.advance(50)
            #expect(try await refusal { try await trial.authenticator.user(bearing: token.characters) } == nil)
        }
        trial.clock.advance(60)
        #expect(try await refusal { try await trial.authenticator.user(bearing: token.characters) } == .expired)
    }

    @Test func usesAreWrittenOnceAMinute() async throws {
        let trial = try await AccountTrial()
        let token = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "browser")
        let first = trial.clock.now
        _ = try await trial.authenticator.user(bearing: token.characters)
        try await untilNoted(trial, token.record.id, first)
        trial.clock.advance(59)
        _ = try await trial.authenticator.user(bearing: token.characters)
        trial.clock.advance(1)
        _ = try await trial.authenticator.user(bearing: token.characters)
        try await untilNoted(trial, token.record.id, first + 60)
    }

    @Test func tokensOpenTheirOwnDoorOnly() async throws {
        let trial = try await AccountTrial()
        for kind in [TokenKind.mobile, .app] {
            let token = try await trial.authenticator.issueToken(kind, for: trial.ann, label: "x")
            #expect(
                try await refusal { try await trial.authenticator.user(bearing: token.characters) } == .wrongCredentials
            )
        }
    }

    @Test func revokedAndDisabledAreRefusedAtOnce() async throws {
        let trial = try await AccountTrial()
        let web = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "x")
        let other = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "y")
        for token in [web, other] { _ = try await trial.authenticator.user(bearing: token.characters) }
        try await trial.store.revokeToken(web.record.id, of: trial.ann.id, actor: "t")
        #expect(try await refusal { try await trial.authenticator.user(bearing: web.characters) } == .wrongCredentials)
        #expect(try await refusal { try await trial.authenticator.user(bearing: other.characters) } == nil)
        try await trial.store.setDisabled(true, user: trial.ann.id, actor: "t")
        #expect(
            try await refusal { try await trial.authenticator.user(bearing: other.characters) } == .wrongCredentials)
        try await trial.store.setDisabled(false, user: trial.ann.id, actor: "t")
        #expect(try await refusal { try await trial.authenticator.user(bearing: other.characters) } == nil)
        try await trial.setPassword("another long one", of: trial.ann)
        #expect(
            try await refusal { try await trial.authenticator.user(bearing: other.characters) } == .wrongCredentials)
    }

    @Test func credentialsAreBelievedForMinutes() async throws {
        let trial = try await AccountTrial()
        func basic(_ password: String = AccountTrial.password) async throws -> AuthenticationRefusal? {
            try await refusal {
                try await trial.authenticator.user(named: "A@example.com", password: password, from: trial.here)
            }
        }
        let before = trial.authenticator.hashCount
        for _ in 0..<5 { #expect(try await basic() == nil) }
        #expect(trial.authenticator.hashCount == before + 1)
        // Another's change costs no hash, one's own ends it.
        try await trial.setPassword("another long one", of: trial.bob)
        #expect(try await basic() == nil)
        #expect(trial.authenticator.hashCount == before + 1)
        trial.clock.advance(trial.settings.credentialLifetime.components.seconds)
        #expect(try await basic() == nil)
        #expect(trial.authenticator.hashCount == before + 2)
        try await trial.store.setDisabled(true, user: trial.ann.id, actor: "t")
        #expect(try await basic() == .wrongCredentials)
        try await trial.store.setDisabled(false, user: trial.ann.id, actor: "t")
        #expect(try await basic() == nil)
        try await trial.setPassword("another long one", of: trial.ann)
        #expect(try await basic() == .wrongCredentials)
        #expect(try await basic("another long one") == nil)
        // Many at a time are proved once.
        trial.clock.advance(3600)
        let count = trial.authenticator.hashCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    _ = try await trial.authenticator.user(
                        named: "ann@example.com", password: "another long one", from: trial.here)
                }
            }
            try await group.waitForAll()
        }
        #expect(trial.authenticator.hashCount == count + 1)
    }

    /// Two programs at one place, one of them with a password of last year.
    @Test func whatWasRightIsNotKeptOut() async throws {
        let trial = try await AccountTrial()
        func basic(_ password: String) async throws -> AuthenticationRefusal? {
            try await refusal {
                try await trial.authenticator.user(named: "ann@example.com", password: password, from: trial.here)
            }
        }
        #expect(try await basic(AccountTrial.password) == nil)
        trial.clock.advance(1000)
        for _ in 0..<5 { #expect(try await basic("of last year") == .wrongCredentials) }
        guard case .tooManyFailures = try await basic("of last year") else {
            Issue.record("nobody waits")
            return
        }
        let count = trial.authenticator.hashCount
        #expect(try await basic(AccountTrial.password) == nil)
        #expect(trial.authenticator.hashCount == count + 1)
        try await trial.setPassword("another long one", of: trial.ann)
        #expect(try await basic(AccountTrial.password) != nil)
    }

    @Test func appPasswordsNeedNoHashAndNoWaiting() async throws {
        let trial = try await AccountTrial()
        let app = try await Accounts(store: trial.store).addAppPassword(
            "drive", for: trial.ann, at: trial.clock.now, actor: "t")
        func basic(_ name: String, _ password: String) async throws -> AuthenticationRefusal? {
            try await refusal {
                try await trial.authenticator.user(named: name, password: password, from: trial.here)
            }
        }
        for _ in 0..<5 { #expect(try await basic("ann@example.com", "wrong") == .wrongCredentials) }
        guard case .tooManyFailures = try await basic("ann@example.com", AccountTrial.password) else {
            Issue.record("nobody waits")
            return
        }
        let count = trial.authenticator.hashCount
        for typed in [
            app.characters, app.characters.uppercased(), app.characters.filter { $0 != "-" },
            app.characters.map { $0 == "-" ? " " : "\($0)" }.joined(),
        ] {
            #expect(try await basic("A@Example.com", typed) == nil, "\(typed)")
        }
        #expect(trial.authenticator.hashCount == count)
        #expect(try await basic("bob@example.com", app.characters) == .wrongCredentials)
        #expect(try await trial.refusal("ann@example.com", app.characters, from: "192.0.2.9") == .wrongCredentials)
        try await trial.store.revokeToken(app.record.id, of: trial.ann.id, actor: "t")
        #expect(try await basic("ann@example.com", app.characters) == .wrongCredentials)
    }

    @Test func signsNeedTheTokenAlsoAfterARestart() async throws {
        let trial = try await AccountTrial()
        let tokens = try await [
            trial.authenticator.issueToken(.mobile, for: trial.ann, label: "one"),
            trial.authenticator.issueToken(.mobile, for: trial.ann, label: "two"),
        ]
        let call = SignedCall(method: "GET", path: "/funds/1", query: "ts=1")
        func answer(_ user: User.ID, _ key: String) async throws -> AuthenticationRefusal? {
            try await refusal {
                try await trial.authenticator.user(user, signing: call, with: call.sign(key: Array(key.utf8)))
            }
        }
        for _ in 0..<2 {
            for token in tokens {
                #expect(try await answer(trial.ann.id, token.characters) == nil)
                #expect(try await answer(trial.bob.id, token.characters) == .wrongCredentials)
                #expect(try await answer(99, token.characters) == .wrongCredentials)
            }
            #expect(try await answer(trial.ann.id, "") == .wrongCredentials)
            try trial.restart()
        }
        try await trial.store.revokeToken(tokens[0].record.id, of: trial.ann.id, actor: "t")
        #expect(try await answer(trial.ann.id, tokens[0].characters) == .wrongCredentials)
        trial.clock.advance(3599)
        #expect(try await answer(trial.ann.id, tokens[1].characters) == nil)
        trial.clock.advance(3600)
        #expect(try await answer(trial.ann.id, tokens[1].characters) == .expired)
        let third = try await trial.authenticator.issueToken(.mobile, for: trial.ann, label: "three")
        try await trial.store.setDisabled(true, user: trial.ann.id, actor: "t")
        #expect(try await answer(trial.ann.id, third.characters) == .expired)
    }

    /// A stranger may name anybody and send a large body: that costs one hash of it, however many tokens there are to try.
    @Test func signsCostOneHashOfTheBody() async throws {
        let trial = try await AccountTrial()
        for _ in 0..<100 { _ = try await trial.authenticator.issueToken(.mobile, for: trial.ann, label: "t") }
        let body = [UInt8](repeating: 1, count: 4 * 1024 * 1024)
        var (hashing, checking) = ([Duration](), [Duration]())
        for _ in 0..<3 {
            let clock = ContinuousClock()
            hashing.append(clock.measure { for _ in 0..<10 { _ = ContentDigest.of(body) } })
            checking.append(
                try await clock.measure {
                    let call = SignedCall(method: "POST", path: "/notes/1/1", query: "ts=1", body: body)
                    let refusal = try await refusal {
                        try await trial.authenticator.user(trial.ann.id, signing: call, with: call.sign(key: [1]))
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
