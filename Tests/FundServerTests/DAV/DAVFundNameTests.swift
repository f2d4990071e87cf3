import FundStore
import FundCore
import Testing
import TestSupport

@testable import FundServer

/// Funds that are renamed, over WebDAV, where a path has names: a former name leads nowhere until a fund is given it.
struct DAVFundNameTests {
    /// The user whose fund has the former name `Fund1`.
    enum Holder: CaseIterable { case ann, another, formerlyAnn }

    private static let patch =
        "<D:propertyupdate xmlns:D='DAV:'><D:set><D:prop><x xmlns='x'/></D:prop></D:set></D:propertyupdate>"

    private static func begin(_ holder: Holder, _ harness: DAVHarness) async throws {
        let (library, bea) = (harness.store.library, harness.server.people.bea.id)
        try await harness.reset()
        for fund in try await library.funds(of: bea) { try await library.deleteFund(fund.id, of: bea) }
        #expect(try await harness.status("PUT", "Fund1/a", [:], "old") == 201)
        #expect(try await harness.transfer("MOVE", "Fund1/", to: "Alpha") == 201)
        if holder != .ann {
            let fund = try #require(try await library.funds(of: harness.ann.id).first)
            _ = try await harness.store.administration.giveFund(fund.id, to: bea, actor: "test")
        }
        if holder == .formerlyAnn { #expect(try await harness.status("MKCOL", "Alpha") == 201) }
    }

    @Test func aFormerNameLeadsNowhere() async throws {
        let harness = try await DAVHarness()
        for holder in Holder.allCases { try await Self.leadsNowhere(holder, harness) }
        try await harness.server.stop()
    }

    private static func leadsNowhere(_ holder: Holder, _ harness: DAVHarness) async throws {
        try await begin(holder, harness)
        for (method, path, status) in [
            ("HEAD", "Fund1/", 404), ("GET", "Fund1/a", 404), ("DELETE", "Fund1/", 404), ("DELETE", "Fund1/a", 404),
            ("PUT", "Fund1/a", 409), ("PUT", "Fund1/new", 409), ("MKCOL", "Fund1/sub", 409),
            ("PROPPATCH", "Fund1/", 404),
        ] {
            let body = method == "PROPPATCH" ? Self.patch : ""
            let found = try await harness.status(method, path, [:], body)
            #expect(found == status, "\(method) \(path): \(found), \(holder)")
        }
        for (method, path, target, status) in [
            ("MOVE", "Fund1/", "Beta", 404), ("COPY", "Fund1/a", "Alpha/b", 404), ("MOVE", "Alpha/a", "Fund1/a", 409),
        ] where holder == .ann || path.hasPrefix("Fund1") {
            #expect(try await harness.transfer(method, path, to: target) == status, "\(method) \(path), \(holder)")
        }
        #expect(try await harness.ls("") == (holder == .another ? [] : ["/dav/Alpha/"]))
    }

    /// Each gives a fund the name `Fund1`: the fund that had it before, of the same owner, gives it up, which is told.
    @Test func whoIsGivenTheNameIsTold() async throws {
        let harness = try await DAVHarness()
        for method in ["MKCOL", "MOVE", "COPY"] { try await Self.isTold(method, .ann, harness) }
        for holder in [Holder.another, .formerlyAnn] { try await Self.isTold("MKCOL", holder, harness) }
        try await harness.server.stop()
    }

    private static func isTold(_ method: String, _ holder: Holder, _ harness: DAVHarness) async throws {
        try await begin(holder, harness)
        let (library, ann) = (harness.store.library, harness.ann.id)
        #expect(try await harness.status("MKCOL", "Second") == 201)
        #expect(try await harness.status("PUT", "Second/b", [:], "new") == 201)
        let made =
            method == "MKCOL"
            ? try await harness.send("MKCOL", "Fund1/")
            : try await harness.send(method, "Second/", ["Destination": "/dav/Fund1"])
        #expect(made.status == 201)
        let words = "mail with [Fund1] found the fund Alpha until now, which was called so before\n"
        #expect(made.text == (holder == .ann ? words : ""))
        // A file that is put there now goes into that fund, and the other keeps its own.
        #expect(try await harness.status("PUT", "Fund1/c", [:], "c") == 201)
        let funds = try await library.funds(of: ann)
        let fund = try #require(funds.first { $0.name == "Fund1" })
        #expect(try await library.children(of: LibraryPlace(fund: fund.id), of: ann).contains { $0.name == "c" })
        if holder == .ann {
            #expect(try await harness.ls("Alpha/") == ["/dav/Alpha/a"])
            #expect(funds.first { $0.name == "Alpha" }?.aliases == [])
        }
    }

    /// A name that a fund was given besides its own is no path, and no other fund's.
    @Test func anotherNameGivenOnPurposeIsKept() async throws {
        let harness = try await DAVHarness()
        let fund = try #require(try await harness.store.library.funds(of: harness.ann.id).first)
        _ = try await harness.store.administration.addAlias("F1", to: fund.id, actor: "test")
        #expect(try await harness.status("GET", "F1/a") == 404)
        let refused = try await harness.send("MKCOL", "F1/")
        #expect(refused.status == 409 && refused.text.contains("Fund1"))
        #expect(try await harness.transfer("COPY", "Fund1/", to: "F1") == 409)
        try await harness.server.stop()
    }
}
