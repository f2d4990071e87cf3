import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Limits of what people may have, on each way by which bytes come into the store.
@Suite struct StorageLimitTests {
    private static func limited(person: Int64? = nil, store: Int64? = nil) async throws -> LibraryHarness {
        let harness = try await LibraryHarness()
        try harness.base.reopen(StorageLimits(person: person, store: store))
        return harness
    }

    private static func parts(_ bytes: Int, _ name: String = "a.pdf") -> [StoreHarness.Part] {
        [StoreHarness.Part(name: name, bytes: patternBytes(bytes, from: bytes))]
    }

    /// A file that would go beyond the limit is refused, and what frees no room is not.
    @Test func refusesWhatIsTooMuch() async throws {
        let harness = try await Self.limited(person: 10)
        let (library, ann, top) = (harness.store.library, harness.ann, harness.top)
        let file = try await harness.put("a.txt", "12345")
        #expect(await failure { try await harness.put("b.txt", "123456") } == .overQuota)
        let folder = try await harness.folder("box")
        try await harness.copy(.file(file.id), to: harness.place(folder))
        let ways: [(String, @Sendable () async throws -> Void)] = [
            ("upload", { try await harness.put("b.txt", "1") }),
            ("version", { try await harness.put("a.txt", "1") }),
            ("copy", { try await harness.copy(.file(file.id), to: top, named: "b.txt") }),
            ("copy of a folder", { try await harness.copy(.folder(folder.id), to: top, named: "more") }),
            ("copy of a fund", { _ = try await library.copyFund(top.fund, to: "Copy", isShallow: false, of: ann) }),
        ]
        for (name, way) in ways { #expect(await failure(way) == .overQuota, "\(name)") }
        #expect(try await harness.tree() == ["a.txt": "12345", "box/": "", "box/a.txt": "12345"])
        let use = try await library.storageUse(of: ann)
        #expect(use == StorageUse(used: 10, limit: 10, left: 0, available: 0))
        // Files that are there can be renamed, moved, deleted and restored, and empty ones keep names.
        try await harness.put("a.txt", "12345")
        try await harness.put("empty.txt", "")
        try await harness.move(.file(file.id), to: harness.place(folder), named: "b.txt")
        try await harness.delete("box")
        _ = try await library.restore(.folder(folder.id), of: ann)
        try await harness.delete("box")
        #expect(await failure { try await harness.put("c.txt", "1") } == .overQuota)
        _ = try await library.emptyTrash(of: ann, asShown: nil)
        try await harness.put("c.txt", "1234567890")
        #expect(try await harness.leavesNothing())
    }

    /// Limits may change while the store is open.
    @Test func otherLimitsHoldAtOnce() async throws {
        let harness = try await Self.limited(person: 10)
        harness.store.limitStorage(StorageLimits(person: 11, store: 12))
        try await harness.put("a.txt", "12345678901")
        #expect(try await harness.store.library.storageUse(of: harness.bob.id).left == 1)
        harness.store.limitStorage(StorageLimits(person: 11))
        #expect(await failure { try await harness.put("b.txt", "1") } == .overQuota)
        harness.store.limitStorage(.none)
        try await harness.put("b.txt", "1")
    }

    /// An upload that can be resumed is refused when it begins, if its length is known, and else at its end.
    @Test func refusesResumableUploads() async throws {
        let harness = try await Self.limited(person: 10)
        let (library, ann, top) = (harness.store.library, harness.ann, harness.top)
        func order(_ length: Int64?) -> UploadOrder {
            UploadOrder(
                .file(FileTarget("a", in: top, ifTaken: .refuse)), contentType: "text/plain", length: length)
        }
        #expect(await failure { _ = try await library.beginUpload(order(11), of: ann) } == .overQuota)
        let upload = try await library.beginUpload(order(nil), of: ann)
        try upload.beginRequest(announcing: nil)
        try patternBytes(11).withUnsafeBytes { try upload.append($0) }
        upload.endRequest()
        try upload.noteLength(11)
        #expect(await failure { _ = try await library.completeUpload(upload, of: ann) } == .overQuota)
        // It is complete once there is room.
        _ = try await harness.store.administration.changeUser(ann, UserChange(quota: .bytes(11)), actor: "t")
        #expect(try await library.completeUpload(upload, of: ann).size == 11)
        #expect(await failure { try await harness.put("b", "1") } == .overQuota)
    }

    /// Two uploads that fit alone and not together do not both pass.
    @Test func twoAtOnceDoNotBothPass() async throws {
        let harness = try await Self.limited(person: 10)
        let codes = await withTaskGroup(of: StoreError.Code?.self, returning: [StoreError.Code?].self) { group in
            for name in ["a", "b", "c", "d"] {
                group.addTask { await failure { try await harness.put(name, "12345") } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == .overQuota } == 2 && codes.count { $0 == nil } == 2)
    }

    @Test func limitsOfPeopleAndOfTheStore() async throws {
        let harness = try await Self.limited(person: 10, store: 15)
        let (administration, ann, bob) = (harness.store.administration, harness.ann, harness.bob.id)
        _ = try await administration.changeUser(ann, UserChange(quota: .unlimited), actor: "t")
        try await harness.put("a.txt", "1234567890123")
        #expect(try await harness.store.library.storageUse(of: bob).left == 2)
        let target = FileTarget("b", in: LibraryPlace(fund: harness.bobsFund.id), ifTaken: .refuse)
        let upload = try harness.upload("123")
        #expect(
            await failure { _ = try await harness.store.library.addFile(upload, at: target, of: bob) } == .overQuota)
        // A lower limit touches nothing that stands.
        _ = try await administration.changeUser(ann, UserChange(quota: .bytes(5)), actor: "t")
        #expect(try await harness.store.library.storageUse(of: ann).left == 0)
        #expect(try await harness.tree()["a.txt"] == "1234567890123")
        // A fund does not go to who has no room for it.
        #expect(
            await failure { _ = try await administration.giveFund(harness.top.fund, to: bob, actor: "t") } == .overQuota
        )
        _ = try await administration.changeUser(bob, UserChange(quota: .bytes(20)), actor: "t")
        #expect(try await administration.user(bob).quota == .bytes(20))
        #expect(
            await failure { _ = try await administration.giveFund(harness.top.fund, to: bob, actor: "t") }
                == .alreadyExists)
        _ = try await administration.changeUser(bob, UserChange(quota: .standard), actor: "t")
        #expect(try await administration.user(bob).quota == .standard)
        let details = try await administration.audit(AuditFilter(), PageQuery()).items
            .filter { $0.action == AuditAction.userQuota.rawValue }.map(\.detail)
        #expect(details == ["that of all", "20 bytes", "5 bytes", "none"])
        #expect(
            await failure { _ = try await administration.changeUser(bob, UserChange(quota: .bytes(-1)), actor: "t") }
                == .invalid)
    }

    /// Mail without room is kept, and what comes with it and fits is filed: each message takes its room at once.
    @Test func mailWithoutRoomIsKept() async throws {
        let harness = try await Self.limited(person: 100)
        let base = harness.base
        let batch = try [60, 50, 30, 0].enumerated().map { index, bytes in
            let parts = bytes == 0 ? [] : Self.parts(bytes, "\(index).pdf")
            return try base.stage(try base.message("Subject: \(index)\n\nx", parts: parts), parts)
        }
        let stored = try await base.store.mail.commit(batch)
        #expect(stored.map(\.outcome) == [.filed, .misrouted, .filed, .filed])
        #expect(stored.map(\.reason) == [nil, .overQuota, nil, nil])
        let id = try #require(stored[1].misrouteID)
        let record = try await base.store.administration.misroute(id)
        #expect(record.reason == .overQuota && record.suggestions == ["Fund1"] && record.user == harness.ann)
        #expect(record.isForSender)
        // A dry run tells it before.
        for (bytes, others, isFiled) in [(10, 0, true), (11, 0, false), (10, 1, false)] {
            let message = try base.message("Subject: x\n\nx", parts: Self.parts(bytes))
            #expect(try await base.store.mail.hasRoom(for: message, beside: Int64(others), of: 0) == isFiled)
        }
        #expect(try await base.store.library.storageUse(of: harness.ann).used == 90)
        // It came again from a server: it is known.
        let again = try base.message("Subject: 1\n\nx", parts: Self.parts(50, "1.pdf"))
        let copy = try await base.store.mail.commit([try base.stage(again, Self.parts(50, "1.pdf"))])[0]
        #expect(copy.outcome == .duplicate && copy.misrouteID == id)
        // So is one that comes by two ways: one message waits, and its sender hears of it once.
        let parts = Self.parts(50, "9.pdf")
        let ways = try ["", "Received: by a\n"].map { way in
            try base.stage(try base.message(way + "Message-ID: <9@example.com>\n\nx", parts: parts), parts)
        }
        let kept = try await base.store.mail.commit(ways)
        #expect(kept.map(\.outcome) == [.misrouted, .duplicate] && kept[0].misrouteID == kept[1].misrouteID)
        #expect(try await base.store.maintenance.verify().isSound)
    }
}
