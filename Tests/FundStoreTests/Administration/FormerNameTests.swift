import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A fund that is renamed is found by mail under its former name, until another fund is given that name.
@Suite struct FormerNameTests {
    private let harness: StoreHarness
    private var administration: SQLAdministrationStore { harness.store.administration }
    private var library: SQLLibraryStore { harness.store.library }

    init() async throws { harness = try await StoreHarness() }

    /// The fund that a tag finds, and its other names.
    private func found(_ tag: String) throws -> (id: Fund.ID, aliases: [String])? {
        let funds = try harness.store.mail.directory().funds(of: harness.ann.id, matching: FundName.key(tag))
        #expect(funds.count <= 1)
        return funds.first.map { ($0.id, $0.aliases) }
    }

    enum Interface: CaseIterable { case administration, library }

    private func rename(_ fund: Fund.ID, to name: String, _ interface: Interface) async throws -> String? {
        switch interface {
        case .administration: try await administration.renameFund(fund, to: name, actor: "test")
        case .library:
            try await library.changeFund(fund, name: name, aliases: nil, if: nil, of: harness.ann.id).tookNameFrom
        }
    }

    @Test(arguments: Interface.allCases)
    func mailGoesOnFindingIt(_ interface: Interface) async throws {
        let fund = harness.fund.id
        #expect(try await rename(fund, to: "Alpha", interface) == nil)
        #expect(try found("fund1")?.id == fund && found("alpha")?.id == fund && found("F1")?.id == fund)
        #expect(try found("alpha")?.aliases == ["F1", "Fund1"])
        // Back again, and another letter case: no name stands twice.
        _ = try await rename(fund, to: "Fund1", interface)
        _ = try await rename(fund, to: "FUND1", interface)
        #expect(try found("fund1")?.aliases == ["F1", "Alpha"])
        _ = try await rename(fund, to: "F1", interface)
        #expect(try found("f1")?.aliases == ["Alpha", "FUND1"])
    }

    @Test(arguments: Interface.allCases)
    func aNewFundTakesTheName(_ interface: Interface) async throws {
        let (ann, old) = (harness.ann.id, harness.fund.id)
        _ = try await rename(old, to: "Alpha", interface)
        let taken: (id: Fund.ID, from: String?)
        switch interface {
        case .administration:
            let fund = try await administration.addFund(name: "fund1", owner: ann, aliases: [], actor: "test")
            taken = (fund.id, fund.tookNameFrom)
        case .library:
            let fund = try await library.addFund("fund1", of: ann)
            taken = (fund.id, fund.tookNameFrom)
        }
        #expect(taken.from == "Alpha")
        #expect(try found("Fund1")?.id == taken.id && found("Alpha")?.aliases == ["F1"])
        let trail = try await administration.audit(AuditFilter(), PageQuery()).items
        #expect(trail.contains { $0.action == "fund.alias.remove" && $0.detail.contains("another fund") })
    }

    @Test(arguments: Interface.allCases)
    func twoFundsChangeNames(_ interface: Interface) async throws {
        let (ann, first) = (harness.ann.id, harness.fund.id)
        let second = try await library.addFund("Second", of: ann).id
        #expect(try await rename(first, to: "x", interface) == nil)
        #expect(try await rename(second, to: "Fund1", interface) == "x")
        #expect(try await rename(first, to: "Second", interface) == "Fund1")
        #expect(try found("Fund1")?.id == second && found("Second")?.id == first && found("x")?.id == first)
    }

    /// An alias that was given on purpose stays, and so does a name.
    @Test func nothingElseGivesWay() async throws {
        let ann = harness.ann.id
        for name in ["F1", "Fund1"] {
            await #expect { _ = try await library.addFund(name, of: ann) } throws: {
                ($0 as? StoreError)?.code == .alreadyExists
            }
        }
        _ = try await rename(harness.fund.id, to: "Alpha", .library)
        let other = try await library.addFund("Other", of: ann).id
        // The name is refused as an alias of another fund: no fund of that name was asked for.
        await #expect { try await administration.addAlias("Fund1", to: other, actor: "test") } throws: {
            ($0 as? StoreError)?.code == .alreadyExists
        }
        // Given on purpose since, it is an alias like others; sent back with others it stays what it was.
        _ = try await library.changeFund(harness.fund.id, name: nil, aliases: ["Fund1", "F1"], if: nil, of: ann)
        _ = try await library.addFund("Fund1", of: ann)
        #expect(try found("Alpha")?.aliases == ["F1"])
        _ = try await rename(other, to: "Beta", .library)
        #expect(try await !administration.addAlias("other", to: other, actor: "test"))
        await #expect { _ = try await library.addFund("Other", of: ann) } throws: {
            ($0 as? StoreError)?.code == .alreadyExists
        }
    }

    /// A name and aliases in one change: the former name is kept beside them.
    @Test func aChangeOfAllNamesKeepsTheFormerOne() async throws {
        let changed = try await library.changeFund(
            harness.fund.id, name: "New", aliases: ["F2"], if: nil, of: harness.ann.id)
        #expect(changed.aliases == ["F2", "Fund1"])
        #expect(try found("Fund1")?.id == harness.fund.id && found("F1") == nil)
        // An alias that is taken away is gone.
        _ = try await library.changeFund(harness.fund.id, name: nil, aliases: [], if: nil, of: harness.ann.id)
        #expect(try found("Fund1") == nil)
    }

    /// The fund that was only called so before gives way to another of that name.
    @Test(arguments: [true, false])
    func aGiftTakesItsNamesAlong(isFormerThere: Bool) async throws {
        let ben = try await administration.addUser(
            email: "ben@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        let theirs = try await administration.addFund(
            name: isFormerThere ? "Fund1" : "x", owner: ben.id, aliases: [], actor: "test")
        if isFormerThere {
            _ = try await administration.renameFund(theirs.id, to: "Kept", actor: "test")
        } else {
            _ = try await administration.renameFund(harness.fund.id, to: "Alpha", actor: "test")
            _ = try await administration.renameFund(theirs.id, to: "Fund1", actor: "test")
        }
        let gift = try await administration.giveFund(harness.fund.id, to: ben.id, actor: "test")
        #expect(gift == FundGift(isNew: true, takenNames: isFormerThere ? [.init("Fund1", from: "Kept")] : []))
        let matches = try harness.store.mail.directory().funds(of: ben.id, matching: "fund1").map(\.id)
        #expect(matches == [isFormerThere ? harness.fund.id : theirs.id])
    }

    /// A client that renames without end must not fill the store.
    @Test func aFundRemembersItsLatestNames() async throws {
        for number in 0...FundRows.maxFormerNames {
            _ = try await rename(harness.fund.id, to: "n\(number)", .library)
        }
        #expect(try found("Fund1") == nil)
        #expect(try found("n0")?.id == harness.fund.id)
        #expect(try found("n5")?.aliases.count == FundRows.maxFormerNames + 1)
    }
}
