import TestSupport
internal import Foundation
import FundCore
import Testing

@testable import FundStore

@Suite struct AccountTests {
    private func token(_ harness: StoreHarness, _ kind: TokenKind, _ text: String, expiresAt: Timestamp? = nil)
        -> NewToken
    {
        NewToken(
            user: harness.ann.id, kind: kind, label: "test", digest: .of(text.utf8),
            sealed: kind == .mobile ? Array(text.utf8) : nil, createdAt: 1_000_000, expiresAt: expiresAt)
    }

    private func counts(_ history: LoginHistory) -> [Int] {
        [history.pair.count, history.address.count, history.name.count]
    }

    @Test func accountsAreFoundByAnyAddress() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        for name in ["ann@example.com", "A@Example.com"] {
            #expect(try await store.accounts.account(named: name)?.user == harness.ann)
        }
        for name in ["b@example.com", "ann", "", "ann@example.com\0"] {
            #expect(try await store.accounts.account(named: name) == nil)
        }
        #expect(try await store.accounts.account(99) == nil)
        try await store.accounts.setPasswordHash("$a", of: harness.ann.id, actor: "t")
        #expect(try await store.accounts.account(harness.ann.id)?.passwordHash == "$a")
        #expect(try await !store.accounts.replacePasswordHash("$b", with: "$c", of: harness.ann.id))
        #expect(try await store.accounts.replacePasswordHash("$a", with: "$c", of: harness.ann.id))
        #expect(try await store.accounts.account(harness.ann.id)?.passwordHash == "$c")
        await #expect { try await store.accounts.setPasswordHash("$d", of: 99, actor: "t") } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
    }

    @Test func aNewPasswordRevokesTokens() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        _ = try await store.accounts.addToken(token(harness, .web, "one"))
        #expect(try await store.accounts.token(.of("one".utf8))?.record.isLive(at: 0) == true)
        try await store.accounts.setPasswordHash("$a", of: harness.ann.id, actor: "t")
        #expect(try await store.accounts.token(.of("one".utf8))?.record.isLive(at: 0) == false)
        #expect(try await store.accounts.token(.of("two".utf8)) == nil)
    }

    /// Tokens of before the column have the reach that they had.
    @Test func tokensKeepTheirReach() async throws {
        let harness = try await StoreHarness()
        let accounts = harness.store.accounts
        for reach in TokenReach.allCases {
            var new = token(harness, .app, reach.rawValue)
            new.reach = reach
            #expect(try await accounts.addToken(new).reach == reach)
            #expect(try await accounts.token(.of(reach.rawValue.utf8))?.record.reach == reach)
        }
        try await harness.store.connection.writing("test") { db in
            try db.execute(
                """
                INSERT INTO token (user_id, kind, label, digest, created_at)
                SELECT user_id, kind, label, randomblob(32), created_at FROM token LIMIT 1
                """)
            try db.execute("UPDATE token SET reach = 'later' WHERE reach = 'read'")
        }
        #expect(try await accounts.tokens(of: harness.ann.id).map(\.reach) == [.files, .files])
        #expect(try await accounts.token(.of("read".utf8)) == nil)
    }

    @Test func tokensAreListedUsedAndRevoked() async throws {
        let harness = try await StoreHarness()
        let store = harness.store
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "t")
        let old = try await store.accounts.addToken(token(harness, .mobile, "old", expiresAt: 1_000_100))
        let new = try await store.accounts.addToken(token(harness, .mobile, "new", expiresAt: 1_000_200))
        let app = try await store.accounts.addToken(token(harness, .app, "app"))
        #expect(
            try await store.accounts.sealedTokens(of: harness.ann.id, limit: 9).map(\.record.id) == [new.id, old.id])
        #expect(
            try await store.accounts.sealedTokens(of: harness.ann.id, limit: 1).map(\.sealed) == [Array("new".utf8)])
        try await store.accounts.noteUse(of: old.id, at: 1_000_050, expiresAt: 1_000_300)
        #expect(
            try await store.accounts.sealedTokens(of: harness.ann.id, limit: 1).first?.record.lastUsedAt == 1_000_050)
        #expect(try await !store.accounts.revokeToken(old.id, of: bob.id, actor: "t"))
        #expect(try await store.accounts.revokeToken(old.id, of: harness.ann.id, actor: "t"))
        #expect(try await !store.accounts.revokeToken(old.id, of: harness.ann.id, actor: "t"))
        #expect(try await store.accounts.sealedTokens(of: harness.ann.id, limit: 9).map(\.record.id) == [new.id])
        #expect(try await store.accounts.tokens(of: harness.ann.id).map(\.id) == [app.id, new.id, old.id])
        #expect(try await store.accounts.tokens(of: bob.id).isEmpty)
        #expect(try await store.accounts.tokens(of: nil).count == 3)
    }

    /// A program that signs in for every call fills no table.
    @Test func tokensDoNotPileUp() async throws {
        let harness = try await StoreHarness()
        let app = try await harness.store.accounts.addToken(token(harness, .app, "app"))
        for index in 0..<203 {
            _ = try await harness.store.accounts.addToken(
                token(harness, .mobile, "\(index)", expiresAt: Timestamp(1_000_000 + Int64(index))))
        }
        let left = try await harness.store.accounts.tokens(of: harness.ann.id)
        #expect(left.count == 201 && left.last?.id == app.id)
        #expect(left.compactMap(\.expiresAt).min() == 1_000_003)
        var late = token(harness, .mobile, "late", expiresAt: 9_000_000)
        late.createdAt = 8_000_000
        _ = try await harness.store.accounts.addToken(late)
        #expect(try await harness.store.accounts.tokens(of: harness.ann.id).count == 2)
    }

    @Test func aNonceIsSpentOnce() async throws {
        let harness = try await StoreHarness()
        let user = harness.ann.id
        func spend(_ nonce: String, at time: Int64 = 100) async throws -> Bool {
            let now = Timestamp(time)
            return try await harness.store.accounts.spendNonce(
                nonce, of: user, signed: now, at: now, until: now + .seconds(100))
        }
        #expect(try await spend("a"))
        #expect(try await !spend("a"))
        try harness.reopen()
        #expect(try await !spend("a"))
        #expect(try await spend("A"))
        // A clock that runs ahead makes nothing usable again.
        #expect(try await spend("b", at: 1_000_000))
        #expect(try await !spend("a"))
        // Where those that were spent are lost, only calls count that were signed since, by a clock that may be ahead.
        try harness.store.connection.write("lose nonces") { try LostNonces.note(at: Timestamp(1_000_000), $0) }
        for time: Int64 in [1_000_000, 1_000_300] { #expect(try await !spend("c", at: time)) }
        #expect(try await spend("c", at: 1_000_301))
    }

    @Test func failedLoginsAreCountedByPairNameAndAddress() async throws {
        let harness = try await StoreHarness()
        let here = LoginPlace(name: "ann", address: "1")
        for place in [here, here, LoginPlace(name: "ann", address: "2"), LoginPlace(name: "bob", address: "1")] {
            try await harness.store.accounts.noteLogin(from: place, succeeded: false, at: 1_000_000)
        }
        try harness.reopen()
        var history = try await harness.store.accounts.loginHistory(of: here, at: 1_000_001)
        #expect(counts(history) == [2, 3, 3])
        #expect(!history.isFamiliar && history.pair.lastAt == 1_000_000)
        try await harness.store.accounts.noteLogin(from: here, succeeded: true, at: 1_000_002)
        history = try await harness.store.accounts.loginHistory(of: here, at: 1_000_003)
        #expect(counts(history) == [0, 1, 1])
        #expect(history.isFamiliar)
        history = try await harness.store.accounts.loginHistory(of: here, at: 1_000_001 + LoginHistory.failureMemory)
        #expect(counts(history) == [0, 0, 0])
        #expect(history.isFamiliar)
        try await harness.store.accounts.noteLogin(
            from: LoginPlace(name: "x", address: "9"), succeeded: false, at: 1_000_003 + LoginHistory.successMemory)
        #expect(try harness.count("login") == 1)
    }

    @Test func theVersionShowsWhatAnotherConnectionChanges() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.store.accounts.accountVersion()
        let use = try await harness.store.accounts.addToken(token(harness, .web, "one"))
        let second = try await harness.store.accounts.accountVersion()
        #expect(second > first)
        try await harness.store.accounts.noteUse(of: use.id, at: 5, expiresAt: 6)
        #expect(try await harness.store.accounts.accountVersion() == second)
        let other = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        try await other.administration.setDisabled(true, user: harness.ann.id, actor: "t")
        try other.close()
        #expect(try await becomesTrue { try await harness.store.accounts.accountVersion() > second })
    }

    /// By one's own act, and by a table of users. A login that was under way gets no token either.
    @Test(arguments: [true, false])
    func disablingEndsTokensForGood(isImported: Bool) async throws {
        let harness = try await StoreHarness()
        let (accounts, administration) = (harness.store.accounts, harness.store.administration)
        for kind in [TokenKind.web, .app] { _ = try await accounts.addToken(token(harness, kind, kind.rawValue)) }
        #expect(try await accounts.tokens(of: harness.ann.id, PageQuery()).items.count == 2)
        if isImported {
            var row = UserImportRow(email: harness.ann.email)
            row.isDisabled = true
            _ = try await administration.importUsers([row], actor: "t")
        } else {
            try await administration.setDisabled(true, user: harness.ann.id, actor: "t")
        }
        await #expect(throws: StoreError.self) { try await accounts.addToken(token(harness, .web, "late")) }
        try await administration.setDisabled(false, user: harness.ann.id, actor: "t")
        #expect(try await accounts.tokens(of: harness.ann.id, PageQuery()).items.isEmpty)
        _ = try await accounts.addToken(token(harness, .web, "new"))
        #expect(try await accounts.tokens(of: harness.ann.id, PageQuery()).items.count == 1)
    }

    @Test func theServerKeyIsMadeOnce() async throws {
        let harness = try await StoreHarness()
        let path = harness.folder + "/store/server.key"
        let store = harness.store
        let keys = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<8 {
                group.addTask { try await store.connection.queues.shared.run { try store.accounts.serverKey() } }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(Set(keys).count == 1 && keys[0].count == 32)
        #expect(mode(path) == 0o600)
        #expect(try harness.leftovers.isEmpty)
        try harness.reopen()
        #expect(try harness.store.accounts.serverKey() == keys[0])
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
        #expect(throws: StoreError.self) { try harness.store.accounts.serverKey() }
        try Data([1, 2, 3]).write(to: URL(filePath: path))
        #expect { try harness.store.accounts.serverKey() } throws: { ($0 as? StoreError)?.code == .invalid }
    }
}
