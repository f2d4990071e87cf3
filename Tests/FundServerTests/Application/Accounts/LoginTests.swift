import TestSupport
import FundStore
import FundCore
import Testing

@testable import FundHTTP
@testable import FundServer

@Suite struct LoginTests {
    /// Every wrong login gets the same refusal at the same cost.
    @Test func everyRefusalCostsOneHash() async throws {
        let harness = try await AccountHarness()
        let carl = try await harness.store.administration.addUser(
            email: "carl@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        try await harness.store.administration.setDisabled(true, user: harness.bob.id, actor: "t")
        for (index, (name, password)) in [
            ("ann@example.com", "wrong"), ("nobody@example.com", AccountHarness.password), ("", ""), ("ann", "x\0"),
            ("bob@example.com", AccountHarness.password), (carl.email, ""), (carl.email, AccountHarness.password),
            ("ann@example.com", ""), ("ann+x@example.com", AccountHarness.password),
        ].enumerated() {
            let before = harness.authenticator.hashCount
            #expect(try await harness.refusal(name, password, from: "192.0.2.\(index)") == .wrongCredentials, "\(name)")
            #expect(harness.authenticator.hashCount == before + 1, "\(name)")
        }
        for name in ["ann@example.com", "A@Example.com", " ann@example.com "] {
            let before = harness.authenticator.hashCount
            #expect(try await harness.refusal(name, from: "198.51.100.1") == nil)
            #expect(harness.authenticator.hashCount == before + 1)
        }
    }

    @Test func failuresWaitOverRestarts() async throws {
        let harness = try await AccountHarness()
        for _ in 0..<5 { #expect(try await harness.refusal("ann@example.com", "wrong") == .wrongCredentials) }
        try harness.restart()
        // Not even the right password, and nothing is hashed for it.
        #expect(try await harness.refusal() == .tooManyFailures(retryAfterSeconds: 2))
        #expect(harness.authenticator.hashCount == 0)
        #expect(try await harness.refusal(from: "192.0.2.2") == nil)
        #expect(try await harness.refusal("bob@example.com") == nil)
        // A refusal without a look is no failure: waiting for the time that was said is enough.
        harness.clock.advance(2)
        #expect(try await harness.refusal("ann@example.com", "wrong") == .wrongCredentials)
        #expect(try await harness.refusal() == .tooManyFailures(retryAfterSeconds: 4))
        harness.clock.advance(4)
        #expect(try await harness.refusal() == nil)
        // A success clears.
        for _ in 0..<4 { #expect(try await harness.refusal("ann@example.com", "wrong") == .wrongCredentials) }
        #expect(try await harness.refusal() == nil)
    }

    @Test func namesThatDoNotExistWaitTheSame() async throws {
        let harness = try await AccountHarness()
        var answers: [[AuthenticationError?]] = []
        for name in ["ann@example.com", "nobody@example.com"] {
            var seen: [AuthenticationError?] = []
            for _ in 0..<7 { seen.append(try await harness.refusal(name, "wrong", from: "192.0.2.77")) }
            answers.append(seen)
        }
        #expect(answers[0] == answers[1])
        #expect(answers[0].last == .tooManyFailures(retryAfterSeconds: 2))
    }

    /// One password tried with many names, between logins with a name of one's own.
    @Test func sprayingIsStopped() async throws {
        let harness = try await AccountHarness()
        for index in 0..<21 {
            #expect(try await harness.refusal("user\(index)@example.com", "Summer2026!") == .wrongCredentials)
            if index == 10 { #expect(try await harness.refusal("bob@example.com") == nil) }
        }
        #expect(
            try await harness.refusal("user99@example.com", "Summer2026!") == .tooManyFailures(retryAfterSeconds: 2))
        #expect(try await harness.refusal("ann@example.com") == .tooManyFailures(retryAfterSeconds: 2))
        // Who signed in from there before still can.
        #expect(try await harness.refusal("bob@example.com") == nil)
    }

    /// Many machines guess one user's password: the user is not kept out, least of all from where they always come.
    @Test func guessingFromManyAddressesSlowsDown() async throws {
        let harness = try await AccountHarness()
        #expect(try await harness.refusal() == nil)
        for index in 0..<21 {
            #expect(
                try await harness.refusal("ann@example.com", "wrong", from: "198.51.100.\(index)") == .wrongCredentials)
        }
        #expect(try await harness.refusal(from: "203.0.113.1") == .tooManyFailures(retryAfterSeconds: 2))
        #expect(try await harness.refusal() == nil)
        for index in 0..<40 {
            harness.clock.advance(60)
            #expect(
                try await harness.refusal("ann@example.com", "wrong", from: "198.51.101.\(index)") == .wrongCredentials)
        }
        #expect(try await harness.refusal(from: "203.0.113.1") == .tooManyFailures(retryAfterSeconds: 60))
        #expect(try await harness.refusal() == nil)
    }

    /// Nor is a browser that had a session of the user, wherever it is; that of another user is a stranger.
    @Test func guessingDoesNotDelayKnownDevices() async throws {
        let harness = try await AccountHarness()
        for index in 0..<30 {
            harness.clock.advance(60)
            #expect(
                try await harness.refusal("ann@example.com", "wrong", from: "198.51.100.\(index)") == .wrongCredentials)
        }
        #expect(try await harness.refusal(from: "203.0.113.1") == .tooManyFailures(retryAfterSeconds: 60))
        func logIn(_ device: User.ID) async throws {
            _ = try await harness.authenticator.logIn(
                .web, name: "ann@example.com", password: AccountHarness.password, from: ClientAddress("203.0.113.2"),
                device: device, label: "t")
        }
        await #expect(throws: AuthenticationError.tooManyFailures(retryAfterSeconds: 60)) {
            try await logIn(harness.bob.id)
        }
        try await logIn(harness.ann.id)
    }

    /// Many guesses at the same moment are not more than one after the other.
    @Test func guessesAtATimeAreCountedBeforeTheyEnd() async throws {
        var settings = AccountSettings.quick
        settings.waitingHashes = 100
        let harness = try await AccountHarness(settings)
        let answers = try await withThrowingTaskGroup(of: AuthenticationError?.self) { group in
            for index in 0..<50 { group.addTask { try await harness.refusal("ann@example.com", "wrong \(index)") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.filter { $0 == .wrongCredentials }.count <= 5)
        #expect(harness.authenticator.hashCount <= 5)
    }

    /// People who sign in at the same moment neither wait for seconds nor are refused.
    @Test func manyMaySignInAtATime() async throws {
        var settings = AccountSettings.quick
        settings.waitingHashes = 100
        let harness = try await AccountHarness(settings)
        let answers = try await withThrowingTaskGroup(of: AuthenticationError?.self) { group in
            for index in 0..<60 {
                group.addTask { try await harness.refusal(index % 2 == 0 ? "ann@example.com" : "bob@example.com") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0 == nil }, "\(answers)")
    }

    /// A thief signs in with a stolen password while its owner sets another one.
    @Test func aNewPasswordEndsLoginsUnderWay() async throws {
        var settings = AccountSettings.quick
        settings.concurrentHashes = 1
        let harness = try await AccountHarness(settings)
        let other = try PasswordHash(of: Password("another password"), parameters: settings.scrypt).text
        let (workers, isHeld, gate) = (harness.authenticator.passwords.workers, Flag(), Gate())
        let holder = Task {
            try await workers.run {
                isHeld.raise()
                gate.wait()
            }
        }
        try await eventually { isHeld.isRaised }
        let login = Task { try await harness.refusal() }
        // It has read the hash that it holds the password against.
        try await eventually { workers.waitingCount == 1 }
        try await harness.store.accounts.setPasswordHash(other, of: harness.ann.id, actor: "t")
        gate.open()
        try await holder.value
        #expect(try await login.value == .wrongCredentials)
        #expect(try await harness.store.accounts.tokens(of: harness.ann.id).allSatisfy { $0.revokedAt != nil })
    }

    @Test func hashesAreMadeStronger() async throws {
        let harness = try await AccountHarness()
        let web = try await harness.authenticator.issueToken(.web, for: harness.ann, label: "t")
        harness.settings.scrypt.logRounds = 5
        try harness.restart()
        #expect(try await harness.refusal("ann@example.com", "wrong") == .wrongCredentials)
        #expect(try await harness.store.accounts.account(harness.ann.id)?.passwordHash?.contains("ln=4") == true)
        #expect(try await harness.refusal() == nil)
        #expect(try await harness.store.accounts.account(harness.ann.id)?.passwordHash?.contains("ln=5") == true)
        #expect(try await harness.refusal() == nil)
        #expect(try await harness.authenticator.user(bearing: web.characters).user == harness.ann)
        // Weaker settings weaken nothing.
        harness.settings.scrypt.logRounds = 4
        try harness.restart()
        #expect(try await harness.refusal() == nil)
        #expect(try await harness.store.accounts.account(harness.ann.id)?.passwordHash?.contains("ln=5") == true)
    }
}
