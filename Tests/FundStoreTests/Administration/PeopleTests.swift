import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct PeopleTests {
    private static func code(_ body: () async throws -> Void) async -> StoreError.Code? {
        do { try await body() } catch { return (error as? StoreError)?.code }
        return nil
    }

    @Test func changesAreAudited() async throws {
        let harness = try await StoreHarness()
        let (store, ann) = (harness.store.administration, harness.ann.id)
        let change = UserChange(
            name: "Ann\u{202E} Archer\n", isAdministrator: true, addedAddress: "new@example.com",
            removedAddress: "A@example.com")
        let record = try await store.changeUser(ann, change, actor: "t")
        #expect(record.user.name == "Ann Archer " && record.user.isAdministrator)
        #expect(record.addresses == ["ann@example.com", "new@example.com"])
        let actions = try await store.audit(AuditFilter(), PageQuery(limit: 4)).items.map(\.action)
        #expect(Set(actions) == ["user.role", "user.rename", "user.address", "user.address.remove"])
        // A value that is there already is no change.
        try await store.changeUser(ann, UserChange(name: "Ann Archer ", isAdministrator: true), actor: "t")
        #expect(try await store.audit(AuditFilter(), PageQuery(limit: 4)).items.map(\.action) == actions)
        #expect(try await store.changeUser(ann, UserChange(name: ""), actor: "t").user.name == nil)
        #expect(
            await Self.code {
                try await store.changeUser(ann, UserChange(removedAddress: "ann@example.com"), actor: "t")
            } == .invalid)
    }

    /// Whatever two administrators do to each other, one is left.
    @Test func oneAdministratorIsLeft() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.administration
        let (ann, email) = (harness.ann.id, harness.ann.email)
        let bob = try await store.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "t")
        try await store.changeUser(ann, UserChange(isAdministrator: true), actor: bob.email)
        for change in [UserChange(isAdministrator: false), UserChange(isDisabled: true)] {
            #expect(await Self.code { try await store.changeUser(ann, change, actor: email) } == .conflict)
        }
        for row in [
            UserImportRow(email: email, isAdministrator: false),
            UserImportRow(email: "a@example.com", isDisabled: true),
        ] {
            let results = try await store.importUsers([row], actor: email)
            guard case .invalid = results[0] else {
                Issue.record("\(results)")
                continue
            }
        }
        try await store.changeUser(bob.id, UserChange(isAdministrator: false), actor: email)
        // Bob's page is still open.
        #expect(
            await Self.code { try await store.changeUser(ann, UserChange(isDisabled: true), actor: bob.email) }
                == .conflict)
        #expect(
            await Self.code {
                try await store.addUser(
                    email: "c@example.com", name: nil, isAdministrator: true, addresses: [], actor: bob.email)
            } == .conflict)
        let fund = harness.fund.id
        #expect(
            await Self.code { try await store.addFund(name: "x", owner: ann, aliases: [], actor: bob.email) }
                == .conflict)
        #expect(await Self.code { try await store.renameFund(fund, to: "x", actor: bob.email) } == .conflict)
        #expect(await Self.code { try await store.archiveFund(fund, actor: bob.email) } == .conflict)
        #expect(await Self.code { try await store.addAlias("x", to: fund, actor: bob.email) } == .conflict)
        #expect(
            await Self.code { try await store.addAddress("x@example.com", to: ann, actor: bob.email) } == .conflict)
        #expect(await Self.code { try await store.setDisabled(true, user: ann, actor: bob.email) } == .conflict)
        let accounts = harness.store.accounts
        #expect(
            await Self.code { try await accounts.revokeTokens([.web], of: ann, keeping: nil, actor: bob.email) }
                == .conflict)
        try await accounts.revokeTokens([.web], of: bob.id, keeping: nil, actor: bob.email)
        let long = String(repeating: "n", count: 201)
        #expect(await Self.code { try await store.changeUser(ann, UserChange(name: long), actor: "t") } == .invalid)
        #expect(await Self.code { _ = try await store.importUsers([], actor: bob.email) } == .conflict)
        #expect(try await store.user(ann).user.isAdministrator)
    }

    @Test func searchesPeopleAndFunds() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.administration
        let bob = try await store.addUser(
            email: "bob@example.com", name: "Bo 100%", isAdministrator: false, addresses: [], actor: "t")
        let gone = try await store.addFund(name: "Old", owner: bob.id, aliases: ["Ancient"], actor: "t")
        for (words, emails) in [
            (nil, ["ann@example.com", "bob@example.com"]), ("A@EX", ["ann@example.com"]), ("100%", ["bob@example.com"]),
            ("_", []), ("ANN", ["ann@example.com"]),
        ] as [(String?, [String])] {
            #expect(try await store.users(matching: words, PageQuery()).items.map(\.user.email) == emails)
            #expect(try await store.countUsers(matching: words) == emails.count)
        }
        func funds(_ filter: FundFilter) async throws -> [String] {
            try await store.funds(filter, PageQuery()).items.map(\.fund.name)
        }
        #expect(try await funds(FundFilter(words: "ANCI")) == ["Old"])
        #expect(try await funds(FundFilter(words: "ann@")) == ["Fund1"])
        #expect(try await funds(FundFilter(owner: bob.id)) == ["Old"])
        try await store.archiveFund(gone.id, actor: "t")
        #expect(try await funds(FundFilter()) == ["Fund1"])
        #expect(try await funds(FundFilter(includesArchived: true)) == ["Fund1", "Old"])
    }

    @Test func linksSetAPasswordOnce() async throws {
        let harness = try await StoreHarness()
        let (accounts, ann) = (harness.store.accounts, harness.ann)
        func digest(_ text: String) -> ContentDigest { .of(Array(text.utf8)) }
        try await accounts.addPasswordReset(digest("a"), of: ann.id, until: 1000, actor: "t")
        try await accounts.addPasswordReset(digest("b"), of: ann.id, until: 1000, actor: "t")
        #expect(try await accounts.passwordReset(digest("a"), at: 10) == nil)
        #expect(try await accounts.passwordReset(digest("b"), at: 1000) == nil)
        #expect(try await accounts.passwordReset(digest("b"), at: 999) == ann)
        let token = try await accounts.addToken(
            NewToken(user: ann.id, kind: .web, label: "", digest: digest("token"), createdAt: 1))
        #expect(try await accounts.usePasswordReset(digest("x"), hash: "h", at: 10) == nil)
        #expect(try await accounts.usePasswordReset(digest("b"), hash: "h", at: 10) == ann)
        #expect(try await accounts.usePasswordReset(digest("b"), hash: "i", at: 10) == nil)
        #expect(try await accounts.account(ann.id)?.passwordHash == "h")
        #expect(try await accounts.tokens(of: ann.id).first { $0.id == token.id }?.revokedAt != nil)
        let audit = try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 1)).items
        #expect(audit.first?.action == "user.password" && audit.first?.actor == ann.email)
        // Another password, and disabling the user, end it.
        try await accounts.addPasswordReset(digest("c"), of: ann.id, until: 1000, actor: "t")
        try await accounts.setPasswordHash("k", of: ann.id, actor: "t")
        #expect(try await accounts.passwordReset(digest("c"), at: 10) == nil)
        try await accounts.addPasswordReset(digest("d"), of: ann.id, until: 1000, actor: "t")
        try await harness.store.administration.setDisabled(true, user: ann.id, actor: "t")
        #expect(
            await Self.code {
                try await accounts.addPasswordReset(digest("e"), of: ann.id, until: 1000, actor: "t")
            } == .conflict)
        try await harness.store.administration.setDisabled(false, user: ann.id, actor: "t")
        #expect(try await accounts.passwordReset(digest("d"), at: 10) == nil)
        #expect(
            await Self.code {
                try await accounts.addPasswordReset(digest("e"), of: ann.id, until: 1000, actor: ann.email)
            } == .conflict)
    }
}
