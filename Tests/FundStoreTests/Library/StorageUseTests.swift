import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The bytes that count for people are the same whether they are counted at each change or from all rows.
@Suite struct StorageUseTests {
    private static func used(_ harness: LibraryHarness, by user: User.ID? = nil) async throws -> Int64 {
        let wrong = try harness.store.connection.read("look") { try FundUse.wrong($0) }
        #expect(wrong.isEmpty)
        return try await harness.store.library.storageUse(of: user ?? harness.ann).used
    }

    @Test func filesCountWithVersionsAndTrash() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let file = try await harness.put("a.txt", "12345")
        #expect(try await Self.used(harness) == 5)
        // A replaced content stays as a deleted file; the same content again adds none.
        try await harness.put("a.txt", "123")
        try await harness.put("a.txt", "123")
        #expect(try await Self.used(harness) == 8)
        let folder = try await harness.folder("box")
        try await harness.copy(.file(file.id), to: harness.place(folder), named: "b.txt")
        #expect(try await Self.used(harness) == 11)
        let copy = try await library.copyFund(harness.top.fund, to: "Copy", isShallow: false, of: ann)
        #expect(try await Self.used(harness) == 17)
        try await harness.move(.folder(folder.id), to: LibraryPlace(fund: copy.id), named: "moved")
        #expect(try await Self.used(harness) == 17)
        try await library.delete(.fund(copy.id), of: ann)
        #expect(try await Self.used(harness) == 17)
        _ = try await library.emptyTrash(of: ann, asShown: nil)
        #expect(try await Self.used(harness) == 3)
        #expect(try await Self.used(harness, by: harness.bob.id) == 0)
    }

    /// The files of mail count with it: once, also where one of them is gone, and until the mail is.
    @Test func mailCountsItsAttachments() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let parts = [
            StoreHarness.Part(name: "q3.pdf", bytes: patternBytes(100)),
            StoreHarness.Part(name: "q4.pdf", bytes: patternBytes(30)),
            StoreHarness.Part(name: "logo.png", bytes: patternBytes(10), isInline: true),
        ]
        let email = try #require(try await harness.base.file("Subject: x\n\nx", parts: parts).emailID)
        #expect(try await Self.used(harness) == 140)
        let files = try await library.children(of: harness.top, of: ann).map(\.itemID)
        try await library.delete(files[0], of: ann)
        _ = try await library.emptyTrash(of: ann, asShown: nil)
        #expect(try await Self.used(harness) == 140)
        // A file with another content is no longer the mail's.
        try await harness.put("q4.pdf", "12345")
        #expect(try await Self.used(harness) == 145)
        let second = try await library.addFund("Second", of: ann)
        _ = try await library.moveEmail(email, to: second.id, if: nil, of: ann)
        #expect(try await Self.used(harness) == 145)
        let counts = try harness.store.connection.read("look") {
            [try FundUse.bytes(of: harness.top.fund, $0), try FundUse.bytes(of: second.id, $0)]
        }
        #expect(counts == [5, 140])
        // The version that was replaced outlives the mail that brought it, and counts by itself from then on.
        try await library.deleteEmail(email, if: nil, of: ann)
        try await library.purge(.email(email), of: ann)
        #expect(try await Self.used(harness) == 35)
        _ = try await library.emptyTrash(of: ann, asShown: nil)
        #expect(try await Self.used(harness) == 5)
    }

    @Test func aFundCountsForItsOwner() async throws {
        let harness = try await LibraryHarness()
        let (store, bob) = (harness.store, harness.bob.id)
        let second = try await store.library.addFund("Second", of: harness.ann)
        try await harness.put("a.txt", "12345", in: LibraryPlace(fund: second.id))
        try await store.administration.giveFund(second.id, to: bob, actor: "t")
        #expect(try await Self.used(harness) == 0)
        #expect(try await Self.used(harness, by: bob) == 5)
        let people = try await store.administration.users()
        #expect(people.map(\.usedBytes) == [0, 5])
        #expect(try await store.administration.storedBytes() == 5)
    }

    @Test(arguments: [
        "UPDATE fund_use SET bytes = bytes + 1", "UPDATE fund_use SET bytes = -9223372036854775808",
        "DELETE FROM fund_use",
    ])
    func verifyCountsAnew(_ damage: String) async throws {
        let harness = try await LibraryHarness()
        try harness.base.reopen(StorageLimits(person: 10, store: 10))
        try await harness.put("a.txt", "12345")
        try harness.store.connection.write("damage", .reserve) {
            try $0.run(script: "\(damage) WHERE fund_id = \(harness.top.fund.rawValue)")
        }
        #expect(try await harness.store.library.storageUse(of: harness.ann).used >= 0)
        let report = try await harness.store.maintenance.verify()
        #expect(
            report.findings.contains {
                $0.kind == .library && $0.action == .reported && $0.detail.contains("counts other bytes")
            })
        _ = try await harness.store.maintenance.repairDatabase(from: nil, acceptsRows: false)
        #expect(try await Self.used(harness) == 5)
        #expect(try await harness.store.maintenance.verify().isSound)
    }
}
