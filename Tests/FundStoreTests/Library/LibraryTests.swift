import TestSupport
import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct LibraryTests {
    @Test func mailIsSeenByItsOwner() async throws {
        let harness = try await LibraryHarness()
        let parts = [
            StoreHarness.Part(name: "q3.pdf", bytes: [1, 2, 3]),
            StoreHarness.Part(name: "logo", bytes: [4], isInline: true),
        ]
        let stored = try await harness.base.file("a: b\n\nc", parts: parts)
        let id = try #require(stored.emailID)
        let page = try await harness.store.library.emails(EmailQuery(), of: harness.ann)
        #expect(page.items.map(\.id) == [id])
        #expect(page.items.map(\.attachmentCount) == [1])
        #expect(page.next == nil)
        let email = try await harness.store.library.email(id, of: harness.ann)
        #expect(email.text == "hello")
        #expect(email.attachments.map(\.name) == ["q3.pdf", "logo"])
        #expect(try await harness.store.library.attachment(email.attachments[1].id, of: harness.ann).isInline)
        guard case .file(let file) = try await harness.store.library.item(at: ["fund1", "Q3.PDF"], of: harness.ann)
        else {
            Issue.record("the file is not found")
            return
        }
        #expect(file.email == id)
        #expect(file.attachment == email.attachments[0].id)
        #expect(try harness.store.library.content(of: file.digest, size: file.size).size == 3)
        #expect(throws: StoreError.self) { try harness.store.library.content(of: file.digest, size: 4) }
        #expect(throws: StoreError.self) { try harness.store.library.content(of: .of([9]), size: 1) }
    }

    /// Bytes that the disk has lost must not stand in for the same bytes in a new upload.
    @Test func anUploadMendsADamagedBlob() async throws {
        let harness = try await LibraryHarness()
        let first = try await harness.put("first", "content")
        try harness.base.damage(first.digest)
        #expect(try await !harness.store.maintenance.verify().isSound)
        try await harness.put("second", "content")
        #expect(try await harness.tree() == ["first": "content", "second": "content"])
        #expect(try await harness.store.maintenance.verify().isSound)
        #expect(try await harness.leavesNothing())
    }

    /// Each expectation, where `file` has the content `old`, and whether an upload goes there.
    @Test func uploadsGoWhereTheCallerSawWhatIsThere() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("file", "old")
        let other = try await harness.put("other", "old")
        _ = try await harness.folder("folder")
        let wrong = ContentDigest.of([1])
        let cases: [(name: String, expected: ExpectedFile, fails: StoreError.Code?)] = [
            ("file", .nothing, .conflict), ("file", .file(other.id, nil), .conflict),
            ("file", .file(file.id, wrong), .conflict), ("folder", .nothing, .conflict),
            ("folder", .file(file.id, nil), .conflict), ("new", .file(file.id, nil), .conflict),
            ("new", .nothing, nil), ("FILE", .file(file.id, nil), nil), ("other", .file(other.id, other.digest), nil),
        ]
        for row in cases {
            var target = FileTarget(row.name, in: harness.top, ifTaken: .replace)
            target.expected = row.expected
            target.modifiedAt = 1_000_000_000
            let before = try await harness.tree()
            let kind = await failure {
                let file = try await harness.store.library.addFile(
                    try harness.upload("written"), at: target, of: harness.ann)
                #expect(file.modifiedAt == 1_000_000_000)
            }
            #expect(kind == row.fails, "\(row)")
            #expect(try await (harness.tree() == before) == (kind != nil), "\(row)")
        }
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func aFileNeverTakesThePlaceOfAFolder() async throws {
        let harness = try await LibraryHarness()
        let folder = try await harness.folder("folder")
        try await harness.put("in", "kept", in: harness.place(folder))
        #expect(await failure { try await harness.put("Folder", "x", ifTaken: .replace) } == .alreadyExists)
        #expect(try await harness.tree() == ["folder/": "", "folder/in": "kept"])
        #expect(try await harness.store.library.deletedItems(of: harness.ann) == [])
    }

    @Test func keepsChecksums() async throws {
        let harness = try await LibraryHarness()
        let (one, two) = (try await harness.put("one", "1"), try await harness.put("two", "2"))
        let checksums = ContentChecksums(md5: Array(repeating: 5, count: 16), sha1: Array(repeating: 1, count: 20))
        try await harness.store.library.keepChecksums([one.digest: checksums, .of([7]): checksums])
        #expect(try await harness.store.library.checksums(of: [one.digest, two.digest]) == [one.digest: checksums])
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The time of an upload does not tell whether another user has the same bytes: as much is done for the second as
    /// for the first.
    @Test func doesTheSameForBytesThatAreThere() async throws {
        let harness = try await LibraryHarness()
        let first = try await harness.put("one", "the same")
        let before = try #require(try harness.store.log.locations(of: first.digest).first)
        let barriers = harness.store.maintenance.barrierDurations.count
        let second = try await harness.put("two", "the same")
        let after = try #require(try harness.store.log.locations(of: first.digest).first)
        #expect(harness.store.maintenance.barrierDurations.count == barriers + 1)
        #expect(after != before)
        #expect(try harness.text(of: second) == "the same")
        #expect(try harness.text(of: first) == "the same")
        #expect(try await harness.leavesNothing())
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// An upload may have begun before its user was disabled.
    @Test func takesNoFilesOfADisabledUser() async throws {
        let harness = try await LibraryHarness()
        let upload = try harness.upload("late")
        try await harness.store.administration.setDisabled(true, user: harness.ann, actor: "test")
        let kind = await failure {
            _ = try await harness.store.library.addFile(
                upload, at: FileTarget("late", in: harness.top, ifTaken: .refuse), of: harness.ann)
        }
        #expect(kind == .notFound)
        #expect(try await harness.names() == [])
    }

    @Test func uploads() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("A.txt", "one")
        #expect(try harness.text(of: file) == "one")
        #expect(file.contentType == "text/plain")
        #expect(try await harness.leavesNothing())
        let replaced = try await harness.put("a.TXT", "two")
        #expect(replaced.id == file.id)
        #expect(replaced.name == "A.txt")
        #expect(try harness.text(of: replaced) == "two")
        #expect(await failure { try await harness.put("a.txt", "x", ifTaken: .refuse) } == .alreadyExists)
        #expect(try await harness.put("a.txt", "x", ifTaken: .number).name == "a(1).txt")
        // The overwritten content can be had back.
        let deleted = try await harness.store.library.deletedItems(of: harness.ann)
        #expect(deleted.map(\.name) == ["A.txt"])
        let old = try await harness.store.library.restore(deleted[0].itemID, of: harness.ann)
        #expect(old.name == "A(2).txt")
        #expect(try await harness.tree() == ["A.txt": "two", "a(1).txt": "x", "A(2).txt": "one"])
        #expect(try await harness.leavesNothing())
        #expect(try await harness.store.maintenance.verify().isSound)
    }
}
