import FundStore
import FundCore
import Testing

@testable import FundServer

@Suite struct LoginTests {
    /// The same refusal at the same cost, whatever is wrong.
    @Test func everyRefusalCostsOneHash() async throws {
        let trial = try await AccountTrial()
        let carl = try await trial.store.addUser(
            email: "carl@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        try await trial.store.setDisabled(true, user: trial.bob.id, actor: "t")
        for (index, (name, password)) in [
            ("ann@example.com", "wrong"), ("nobody@example.com", AccountTrial.password), ("", ""), ("ann", "x\0"),
            ("bob@example.com", AccountTrial.password), (carl.email, ""), (carl.email, AccountTrial.password),
            ("ann@example.com", ""), ("ann+x@example.com", AccountTrial.password),
        ].enumerated() {
            let before = trial.authenticator.hashCount
            #expect(try await trial.refusal(name, password, from: "192.0.2.\(index)") == .wrongCredentials, "\(name)")
            #expect(trial.authenticator.hashCount == before + 1, "\(name)")
        }
        for name in ["ann@example.com", "A@Example.com", " ann@example.com "] {
            let before = trial.authenticator.hashCount
            #expect(try await trial.refusal(name, from: "198.51.100.1") == nil)
            #expect(trial.authenticator.hashCount == before + 1)
        }
    }

    @Test func failuresWaitOverRestarts() async throws {
        let trial = try await AccountTrial()
        for _ in 0..<5 { #expect(try await trial.refusal("ann@example.com", "wrong") == .wrongCredentials) }
        try trial.restart()
        // Not even the right password, and nothing is hashed for it.
        #expect(try await trial.refusal() == .tooManyFailures(retryAfterSeconds: 2))
        #expect(trial.authenticator.hashCount == 0)
        #expect(try await trial.refusal(from: "192.0.2.2") == nil)
        #expect(try await trial.refusal("bob@example.com") == nil)
        // A refusal without a look is no failure: waiting for the time that was said is enough.
        trial.clock.advance(2)
        #expect(try await trial.refusal("ann@example.com", "wrong") == .wrongCredentials)
        #expect(try await trial.refusal() == .tooManyFailures(retryAfterSeconds: 4))
        trial.clock.advance(4)
        #expect(try await trial.refusal() == nil)
        // A success clears.
        for _ in 0..<4 { #expect(try await trial.refusal("ann@example.com", "wrong") == .wrongCredentials) }
        #expect(try await trial.refusal() == nil)
    }

    @Test func namesThatDoNotExistWaitTheSame() async throws {
        let trial = try await AccountTrial()
        var answers: [[AuthenticationRefusal?]] = []
        for name in ["ann@example.com", "nobody@example.com"] {
            var seen: [AuthenticationRefusal?] = []
            for _ in 0..<7 { seen.append(try await trial.refusal(name, "wrong", from: "192.0.2.77")) }
            answers.append(seen)
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].last == .tooManyFailures(retryAfterSeconds: 2))
    }

    /// One password tried with many names, between logins with a name of one's own.
    @Test func sprayingIsStopped() async throws {
        let trial = try await AccountTrial()
        for index in 0..<21 {
            #expect(try await trial.refusal("user\(index)@example.com", "Summer2026!") == .wrongCredentials)
            if index == 10 { #expect(try await trial.refusal("bob@example.com") == nil) }
        }
        #expect(try await trial.refusal("user99@example.com", "Summer2026!") == .tooManyFailures(retryAfterSeconds: 2))
        #expect(try await trial.refusal("ann@example.com") == .tooManyFailures(retryAfterSeconds: 2))
        // Who signed in from there before still can.
        #expect(try await trial.refusal("bob@example.com") == nil)
    }

    /// Many machines guess one user's password: the user is not kept out, least of all from where they always come.
    @Test func guessingFromManyAddressesSlowsDown() async throws {
        let trial = try await AccountTrial()
        #expect(try await trial.refusal() == nil)
        for index in 0..<21 {
            #expect(
                try await trial.refusal("ann@example.com", "wrong", from: "198.51.100.\(index)") == .wrongCredentials)
        }
        #expect(try await trial.refusal(from: "203.0.113.1") == .tooManyFailures(retryAfterSeconds: 2))
        #expect(try await trial.refusal() == nil)
        for index in 0..<40 {
            trial.clock.advance(60)
            #expect(
                try await trial.refusal("ann@example.com", "wrong", from: "198.51.101.\(index)") == .wrongCredentials)
        }
        #expect(try await trial.refusal(from: "203.0.113.1") == .tooManyFailures(retryAfterSeconds: 60))
        #expect(try await trial.refusal() == nil)
    }

    /// Many guesses at the same moment are not more than one after the other.
    @Test func guessesAtATimeAreCountedBeforeTheyEnd() async throws {
        var settings = AccountSettings.quick
        settings.waitingHashes = 100
        let trial = try await AccountTrial(settings)
        let answers = try await withThrowingTaskGroup(of: AuthenticationRefusal?.self) { group in
            for index in 0..<50 { group.addTask { try await trial.refusal("ann@example.com", "wrong \(index)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0 == .wrongCredentials }.count <= 5)
        #expect(trial.authenticator.hashCount <= 5)
    }

    /// Nobody waits for seconds, or is refused, who only comes at the same moment as others.
    @Test func manyMaySignInAtATime() async throws {
        var settings = AccountSettings.quick
        settings.waitingHashes = 100
        let trial = try await AccountTrial(settings)
        let answers = try await withThrowingTaskGroup(of: AuthenticationRefusal?.self) { group in
            for index in 0..<60 {
                group.addTask { try await trial.refusal(index % 2 == 0 ? "ann@example.com" : "bob@example.com") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == nil }, "\(answers)")
    }

    /// Somebody signs in with a stolen password while its owner sets another one.
    @Test func aNewPasswordEndsLoginsUnderWay() async throws {
        var settings = AccountSettings.quick
        // Long enough for the change to come in between.
        settings.scrypt = .standard
        let trial = try await AccountTrial(settings)
        let other = try PasswordHash(of: Password("another password"), parameters: settings.scrypt).text
        let login = Task { try await trial.refusal() }
        // The hash that the login was held against was read before it was computed.
        try await Task.sleep(for: .milliseconds(100))
        try await trial.store.setPasswordHash(other, of: trial.ann.id, actor: "t")
        #expect(try await login.value == .wrongCredentials)
        #expect(try await trial.store.tokens(of: trial.ann.id).allSatisfy { $0.revokedAt != nil })
    }

    @Test func hashesAreMadeStronger() async throws {
        let trial = try await AccountTrial()
        let web = try await trial.authenticator.issueToken(.web, for: trial.ann, label: "t")
        trial.settings.scrypt.logRounds = 5
        try trial.restart()
        #expect(try await trial.refusal("ann@example.com", "wrong") == .wrongCredentials)
        #expect(try await trial.store.account(trial.ann.id)?.passwordHash?.contains("ln=4") == true)
        #expect(try await trial.refusal() == nil)
        #expect(try await trial.store.account(trial.ann.id)?.passwordHash?.contains("ln=5") == true)
        #expect(try await trial.refusal() == nil)
        #expect(try await trial.authenticator.user(bearing: web.characters).user == trial.ann)
        // Weaker settings weaken nothing.
        trial.settings.scrypt.logRounds = 4
        try trial.restart()
        #expect(try await trial.refusal() == nil)
        #expect(try await trial.store.account(trial.ann.id)?.passwordHash?.contains("ln=5") == true)
    }
}
