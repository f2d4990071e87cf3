import FundCore
import Testing

@testable import FundStore

/// Rows of a backup that come in the place of lost ones let no one in who has been kept out since.
@Suite struct StaleRowsTests {
    private let damaged: DamagedStore
    private let bob: User
    private let cat: User
    private var store: FundStore { damaged.harness.store }
    private var ann: User { damaged.harness.ann }

    /// A store of three people with its backup, after which ann's token and other address, bob's access, his rule and
    /// his fund were taken away. Cat is as she was.
    init() async throws {
        damaged = try await DamagedStore()
        let (harness, store) = (damaged.harness, damaged.harness.store)
        func user(_ name: String) async throws -> User {
            let user = try await store.administration.addUser(
                email: "\(name)@example.com", name: name, isAdministrator: true, addresses: ["\(name)@home.example"],
                actor: "test")
            try await store.accounts.setPasswordHash("$old", of: user.id, actor: "test")
            return user
        }
        bob = try await user("bob")
        cat = try await user("cat")
        for (user, name) in [(harness.ann, "revoked"), (bob, "ended"), (cat, "good")] {
            _ = try await store.accounts.addToken(
                NewToken(
                    user: user.id, kind: .web, label: name, digest: .of(name.utf8), sealed: nil, createdAt: .now,
                    expiresAt: nil))
        }
        let fund = try await store.administration.addFund(name: "Given", owner: bob.id, aliases: [], actor: "test")
        _ = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund.id, of: bob.id)
        _ = try await store.maintenance.backUp(to: damaged.backup)
        let tokens = try await store.accounts.tokens(of: harness.ann.id)
        for token in tokens { _ = try await store.accounts.revokeToken(token.id, of: harness.ann.id, actor: "test") }
        _ = try await store.administration.giveFund(fund.id, to: harness.ann.id, actor: "test")
        _ = try await store.administration.changeUser(
            bob.id, UserChange(removedAddress: "bob@home.example"), actor: "test")
        _ = try await store.administration.addAddress("bob@home.example", to: harness.ann.id, actor: "test")
        _ = try await store.administration.setDisabled(true, user: bob.id, actor: "test")
    }

    private func repair(without tables: [String]) async throws -> VerifyReport {
        for table in tables { try damaged.zeroPage(of: table) }
        return try await store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
    }

    private func isLive(_ token: String) async throws -> Bool {
        try await store.accounts.token(.of(token.utf8))?.record.isLive(at: .now) ?? false
    }

    private func addresses(of user: User) async throws -> [String] {
        try await store.administration.user(user.email).addresses
    }

    /// Rows that checksums prove come back as they were; each table by itself, since all of them are one page here.
    @Test func revokedTokensStayRevoked() async throws {
        let report = try await repair(without: ["token"])
        for token in ["revoked", "ended"] { #expect(try await !isLive(token)) }
        #expect(try await isLive("good"))
        #expect(report.findings.contains { $0.detail.contains("sign in again") }, "\(report.findings)")
        #expect(report.isSound, "\(report.findings)")
        #expect(try await store.maintenance.verify().findings == [])
    }

    @Test func disabledUsersStayOut() async throws {
        let version = try await store.accounts.accountVersion()
        let report = try await repair(without: ["user"])
        let users = try await store.administration.users().map(\.user)
        #expect(users.map(\.isDisabled) == [false, true, false], "\(users)")
        #expect(users.map(\.isAdministrator) == [false, false, true])
        #expect(try await store.accounts.account(bob.id)?.passwordHash == nil)
        #expect(try await store.accounts.account(cat.id)?.passwordHash == "$old")
        #expect(report.findings.contains { $0.detail.contains("fundmail user enable bob@example.com") }, "\(report)")
        #expect(!report.isSound)
        // Other processes look people up again that they keep in memory.
        #expect(try await store.accounts.accountVersion() != version)
        // The command line has the last word.
        let administration = store.administration
        #expect(try await administration.setDisabled(false, user: bob.id, actor: "root"))
        _ = try await administration.changeUser(bob.id, UserChange(isAdministrator: true), actor: "root")
        #expect(try await store.maintenance.verify(repairing: KnownParts([]), acceptsRows: true).isSound)
        #expect(try await store.maintenance.verify().findings == [])
    }

    @Test func addressesStayWithWhoHasThem() async throws {
        let report = try await repair(without: ["address"])
        #expect(try await addresses(of: bob) == ["bob@example.com"])
        #expect(try await addresses(of: cat) == ["cat@example.com", "cat@home.example"])
        // Hers is newer than the backup: indexes name it, and its checksum proves it.
        #expect(try await addresses(of: ann) == ["ann@example.com", "a@example.com", "bob@home.example"])
        #expect(report.isSound, "\(report.findings)")
    }

    @Test func givenFundsStayWithTheirOwners() async throws {
        let report = try await repair(without: ["fund"])
        let owners = try store.mail.directory().funds.filter { $0.name == "Given" }.map(\.owner)
        #expect(owners == [ann.id], "\(report.findings)")
        #expect(report.findings.contains { $0.detail.contains("Given to ann@example.com") }, "\(report.findings)")
    }

    @Test func whatIsInGivenFundsIsOfTheirOwners() async throws {
        _ = try await repair(without: ["note"])
        let owners: [User.ID] = try store.connection.read("") { try $0.values("SELECT user_id FROM note") }
        #expect(owners == [ann.id])
    }

    /// Clients would keep items that they are not told any more to have lost.
    @Test(arguments: [["departure", "departure_item"], ["note"]])
    func clientsReadEverythingAnew(_ tables: [String]) async throws {
        let cursor = try await store.library.latestChange(of: bob.id)
        let report = try await repair(without: tables)
        await #expect("\(report.findings)") {
            _ = try await store.library.changes(of: bob.id, after: cursor, limit: 10)
        } throws: { ($0 as? StoreError)?.code == .outdated }
    }

    /// Without checksums nothing is proved.
    @Test func withoutChecksumsAllIsInDoubt() async throws {
        let report = try await repair(without: ["row_check", "user", "token", "address"])
        let users = try await store.administration.users().map(\.user)
        #expect(users.allSatisfy { $0.isDisabled && !$0.isAdministrator }, "\(users)")
        for token in ["revoked", "ended", "good"] { #expect(try await !isLive(token)) }
        #expect(try await addresses(of: cat) == ["cat@example.com"])
        #expect(!report.isSound)
        #expect(try await store.maintenance.verify().isSound)
    }
}
