import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct QuarantineTests {
    private static let now = Timestamp(1_000_000)
    private static let virus = StoreHarness.Part(name: "bad.exe", bytes: Array("malware and more".utf8))

    private func isWithheld(_ body: () async throws -> Void) async throws -> Bool {
        do {
            try await body()
            return false
        } catch let error as StoreError where error.code == .quarantined { return true }
    }

    private func read(_ content: any StoredContent) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try content.read(0..<content.size) { bytes += $0 }
        return bytes
    }

    /// The file, the message that carries it, and what was opened before are kept from people.
    @Test func keepsContentsAndTheirMessages() async throws {
        let harness = try await LibraryHarness()
        let (store, digest) = (harness.store, Self.virus.digest)
        let other = StoreHarness.Part(name: "good.txt", bytes: Array("harmless".utf8))
        let filed = try await harness.base.file("Subject: x\n\nbody", parts: [Self.virus, other])
        let email = try #require(filed.emailID)
        let raw = try await store.library.rawMessage(of: email, of: harness.ann)
        let size = Int64(Self.virus.bytes.count)
        let opened = try store.library.content(of: digest, size: size)
        #expect(try read(opened) == Self.virus.bytes)

        try await store.quarantine.quarantine(digest, malware: "Eicar", at: Self.now)
        #expect(try await isWithheld { _ = try read(opened) })
        #expect(try await isWithheld { _ = try store.library.content(of: digest, size: size) })
        #expect(try await isWithheld { _ = try store.library.content(of: raw.digest, size: raw.size) })
        #expect(opened.region(0..<size) == nil)
        var bytes = [UInt8](repeating: 0, count: 4)
        #expect(!bytes.withUnsafeMutableBytes { opened.readWithoutWaiting(at: 0, into: $0) })
        #expect(try read(store.library.content(of: other.digest, size: 8)) == other.bytes)
        #expect(try read(store.unguardedContent(of: digest, size: size)) == Self.virus.bytes)

        let listed = try #require(try await store.quarantine.quarantined(PageQuery()).items.first)
        #expect(listed.malware == "Eicar" && listed.releasedAt == nil)
        #expect(listed.places.map(\.name) == ["bad.exe"] && listed.places.first?.owner == "ann@example.com")
        #expect(try await store.maintenance.verify().isSound)
    }

    @Test func zipFilesAndExportsSaySo() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.virus])
        try await store.quarantine.quarantine(Self.virus.digest, malware: "Eicar", at: Self.now)
        let selection = ZipSelection(fund: harness.base.fund.id, includesEmails: true)
        let items = try await store.library.zipItems(selection, atMost: 10, of: harness.ann)
        #expect(items.map(\.name).contains("bad.exe"))
        for item in items {
            switch item.content {
            case .withheld(let refusal): #expect(refusal == .malware(name: "Eicar") && item.name == "bad.exe")
            case .email(_, let isWhole): #expect(!isWhole)
            case .file, .folder: Issue.record("\(item.name) is given")
            }
        }
        let report = try await store.maintenance.export(
            fund: harness.base.fund.id, to: harness.base.folder + "/export")
        #expect(report.written == 0 && report.quarantined == ["bad.exe (Eicar)"])
    }

    @Test func isReleasedByAnAdministratorOrByNewSignatures() async throws {
        let harness = try await LibraryHarness()
        let (store, digest) = (harness.store, Self.virus.digest)
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.virus])
        let size = Int64(Self.virus.bytes.count)
        try await store.quarantine.quarantine(digest, malware: "Eicar", at: Self.now)
        try await store.quarantine.release(digest, actor: "root")
        #expect(try read(store.library.content(of: digest, size: size)) == Self.virus.bytes)
        // A repeated finding changes nothing; another one does.
        try await store.quarantine.quarantine(digest, malware: "Eicar", at: Self.now)
        #expect(try await !store.quarantine.isQuarantined(digest))
        try await store.quarantine.quarantine(digest, malware: "Other", at: Self.now)
        #expect(try await store.quarantine.isQuarantined(digest))
        try await store.quarantine.noteClean(digest)
        #expect(try await store.quarantine.quarantineCount() == 0)
        #expect(try read(store.library.content(of: digest, size: size)) == Self.virus.bytes)
        await #expect(throws: StoreError.self) { try await store.quarantine.release(digest, actor: "root") }
        let actions = try await store.administration.audit(AuditFilter(), PageQuery()).items.map(\.action)
        #expect(
            actions.filter { $0.hasPrefix("blob.") }.sorted() == [
                "blob.cleared", "blob.quarantined", "blob.quarantined", "blob.released",
            ])
    }

    /// Another process finds it: this one stops giving it.
    @Test func holdsForAllProcesses() async throws {
        let harness = try await LibraryHarness()
        try await harness.base.file("Subject: x\n\nbody", parts: [Self.virus])
        let size = Int64(Self.virus.bytes.count)
        let opened = try harness.store.library.content(of: Self.virus.digest, size: size)
        let other = try FundStore.open(at: harness.base.folder + "/store", mode: .existing)
        try await other.quarantine.quarantine(Self.virus.digest, malware: "Eicar", at: Self.now)
        #expect(try await becomesTrue { try await isWithheld { _ = try read(opened) } })
        try other.close()
    }

    @Test func listsPageByPage() async throws {
        let harness = try await StoreHarness()
        let store = harness.store.quarantine
        for number in 0..<5 {
            try await store.quarantine(
                .of([UInt8(number)]), malware: "m\(number)", at: Self.now + .seconds(number))
        }
        try await store.release(.of([4]), actor: "root")
        var (names, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await store.quarantined(PageQuery(limit: 2, cursor: cursor))
            names += page.items.map(\.malware)
            cursor = page.next
        } while cursor != nil
        #expect(names == ["m3", "m2", "m1", "m0", "m4"])
        await #expect(throws: StoreError.self) { _ = try await store.quarantined(PageQuery(cursor: "x")) }
    }
}
