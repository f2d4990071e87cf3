import FundCore
import FundHTTP
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Openings of share links: they are counted, written down and bounded.
struct SharedOpeningTests {
    private typealias Things = SharedPageTests.Things

    @Test func anOpeningIsCountedAndWrittenDown() async throws {
        let harness = try await ServerHarness()
        let file = try await Things(harness).files[0].id
        var visitor = try await Visitor([.file(file)], in: harness) { $0.showsOwner = true }
        #expect(try await visitor.get("").text.contains("ann@example.com"))
        // Forms of other sites open nothing.
        for fields in [["Sec-Fetch-Site": "cross-site"], ["Sec-Fetch-Site": "", "Origin": "https://evil.example"]] {
            #expect(try await visitor.open(fields: fields).status == 403)
        }
        let answer = try await visitor.open(fields: ["Sec-Fetch-Site": "", "Origin": "null"])
        #expect(answer.status == 303 && answer["location"] == visitor.path)
        let cookie = try #require(answer["set-cookie"])
        #expect(cookie.contains("; Path=\(visitor.path); HttpOnly; SameSite=Lax; Max-Age=14400"))
        #expect(try await visitor.now.openings == 1)
        let uses = try await harness.store.links.uses(of: visitor.link.id, of: visitor.link.owner, PageQuery()).items
        #expect(uses.map(\.visitor) == [ShareVisitor(name: nil, network: "127.0.0.1")])
        let audit = try await harness.store.administration.audit(AuditFilter(), PageQuery(limit: 5)).items
        #expect(audit.first?.action == "link.open" && audit.first?.detail == "from 127.0.0.1")
        try await harness.stop()
    }

    /// Openings without a password are bounded, and one visitor does not fill the audit trail.
    @Test func openingsAreBounded() async throws {
        let harness = try await ServerHarness()
        let things = try await Things(harness)
        let (first, second) = (things.files[0].id, things.files[1].id)
        var visitor = try await Visitor([.file(first)], in: harness)
        var other = try await Visitor([.file(second)], in: harness)
        for _ in 0..<LinkOpenings.most { #expect(try await visitor.open().status == 303) }
        let known = try #require(visitor.cookie)
        let refused = try await visitor.open()
        #expect(refused.status == 429 && refused["retry-after"] == "3600")
        #expect(refused.text.contains("This link was opened too often from your network."))
        #expect(try await other.open().status == 303)
        visitor.cookie = known
        #expect(try await visitor.get("/files/\(first)").status == 200)
        #expect(try await visitor.now.openings == LinkOpenings.most)
        var filter = AuditFilter()
        filter.action = "link.open"
        let audit = try await harness.store.administration.audit(filter, PageQuery(limit: 100)).items
        #expect(audit.count == 2)
        let uses = try await harness.store.links.uses(of: visitor.link.id, of: visitor.link.owner, PageQuery())
        #expect(uses.items.count == 1)
        try await harness.stop()
    }

    /// Openings of a network are counted by link, within an hour.
    @Test func countsOfOpeningsEnd() throws {
        let (openings, now) = (LinkOpenings(), ContinuousClock.now)
        let (one, site, other) = (
            ClientAddress("2001:db8:1:2::3"), ClientAddress("2001:db8:1:ffff::9"), ClientAddress("192.0.2.1")
        )
        for number in 0..<LinkOpenings.most {
            try openings.take(1, from: number.isMultiple(of: 2) ? one : site, at: now)
        }
        #expect(throws: RequestError.self) { try openings.take(1, from: one, at: now) }
        #expect(throws: RequestError.self) { try openings.take(1, from: site, at: now + .seconds(3599)) }
        try openings.take(1, from: other, at: now)
        try openings.take(2, from: one, at: now)
        try openings.take(1, from: one, at: now + LinkOpenings.interval)
    }
}
