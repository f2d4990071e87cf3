import Foundation
import GRDB
import TestSupport
import Testing

@testable import FundClient

@Suite(.startsPrograms, .serialized) struct CatalogueTests {
    @Test func theCatalogueFollowsTheServer() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let (session, fund) = (harness.session, harness.fund)
        let folder = try await session.makeFolder(named: "2025", in: .fund(fund))
        let file = try await harness.put("q3.pdf", [1, 2, 3], in: folder.id)
        let catalogue = try harness.catalogue()
        let sync = CatalogueSync(of: catalogue, from: session)
        try await sync.catchUp()
        #expect(try await catalogue.standing().isComplete)
        #expect(try await catalogue.file(at: ["Fund1", "2025", "q3.pdf"]) == file)
        #expect(try await catalogue.folders(of: .fund(fund)) == [folder])
        #expect(try await catalogue.path(of: file) == ["Fund1", "2025", "q3.pdf"])

        let news = Task { try await sync.follow() }
        let second = try await harness.put("q4.pdf", [4], in: folder.id)
        let isThere = try await becomesTrue { try await catalogue.file(second.id) != nil }
        #expect(isThere)
        try await session.delete(file.id)
        let isGone = try await becomesTrue { try await catalogue.file(file.id) == nil }
        #expect(isGone)
        // The server goes away and comes back.
        harness.killServer()
        try await harness.startServer()
        let third = try await harness.put("q5.pdf", [5], in: folder.id)
        let isFollowing = try await becomesTrue { try await catalogue.file(third.id) != nil }
        #expect(isFollowing)
        news.cancel()
        _ = try? await news.value

        // Offline it still shows what there was.
        harness.killServer()
        let items = try await catalogue.items(of: .folder(folder.id))
        #expect(items.map(\.name) == ["q4.pdf", "q5.pdf"])
        try catalogue.close()
        let again = try harness.catalogue()
        #expect(try await again.items(of: .folder(folder.id)) == items)
    }

    /// A cursor that the server does not know: all is told again, and what is gone goes.
    @Test func anOutdatedCursorBeginsAnew() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let file = try await harness.put("stays.bin", [1])
        let catalogue = try harness.catalogue()
        let sync = CatalogueSync(of: catalogue, from: harness.session)
        try await sync.catchUp()
        try await catalogue.database.write { db in
            try db.execute(sql: "UPDATE feed SET cursor = 123456789")
            try db.execute(sql: "INSERT INTO note VALUES (77, 1, 'gone', '', 0, 0, 0, 1)")
            try db.execute(sql: "UPDATE file SET name = 'old name'")
        }
        let progress = try await sync.catchUp()
        #expect(progress.restartCount == 1)
        #expect(try await catalogue.count(of: .note) == 0)
        #expect(try await catalogue.file(file.id)?.name == "stays.bin")
    }

    /// Two processes keep one catalogue: each page is taken once.
    @Test func twoFollowOneFeed() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        for number in 0..<30 { try await harness.put("\(number).bin", [UInt8(number)]) }
        let (one, two) = (try harness.catalogue(), try harness.catalogue())
        async let first = CatalogueSync(of: one, from: harness.session).catchUp()
        async let second = CatalogueSync(of: two, from: harness.session).catchUp()
        _ = try await (first, second)
        #expect(try await one.count(of: .file) == 30)
        #expect(try await two.standing() == one.standing())
    }

    @Test func aFundThatIsDeletedTakesItsFilesAndBringsThemBack() async throws {
        let harness = try await TransferHarness()
        defer { harness.remove() }
        let file = try await harness.put("in.bin", [1])
        let catalogue = try harness.catalogue()
        let sync = CatalogueSync(of: catalogue, from: harness.session)
        try await sync.catchUp()
        try await harness.session.deleteFund(harness.fund)
        try await sync.catchUp()
        #expect(try await catalogue.file(file.id) == nil)
        _ = try await harness.session.restoreFund(harness.fund)
        try await sync.catchUp()
        #expect(try await catalogue.file(file.id)?.name == "in.bin")
    }
}
