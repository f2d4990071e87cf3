import GRDB
import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct LibraryTests {
    @Test func mailIsSeenByItsOwner() async throws {
        let trial = try await LibraryTrial()
        let parts = [
            Scratch.Part(name: "q3.pdf", bytes: [1, 2, 3]), Scratch.Part(name: "logo", bytes: [4], isInline: true),
        ]
        let stored = try await trial.scratch.file("a: b\n\nc", parts: parts)
        let id = try #require(stored.emailID)
        let page = try await trial.store.emails(EmailQuery(), of: trial.ann)
        #expect(page.items.map(\.id) == [id])
        #expect(page.items.map(\.attachmentCount) == [1])
        #expect(page.next == nil)
        let email = try await trial.store.email(id, of: trial.ann)
        #expect(email.text == "hello")
        #expect(email.attachments.map(\.name) == ["q3.pdf", "logo"])
        #expect(try await trial.store.attachment(email.attachments[1].id, of: trial.ann).isInline)
        guard case .file(let file) = try await trial.store.item(at: ["fund1", "Q3.PDF"], of: trial.ann) else {
            Issue.record("the file is not found")
            return
        }
        #expect(file.email == id)
        #expect(file.attachment == email.attachments[0].id)
        let descriptor = try trial.store.openBlob(file.digest, size: file.size)
        #expect(lseek(descriptor, 0, SEEK_END) == 3)
        close(descriptor)
        #expect(throws: StoreError.self) { try trial.store.openBlob(file.digest, size: 4) }
        #expect(throws: StoreError.self) { try trial.store.openBlob(.of([9]), size: 1) }
    }

    /// Bytes that the disk has lost must not stand in for those that somebody brings again.
    @Test func anUploadMendsADamagedBlob() async throws {
        let trial = try await LibraryTrial()
        let first = try await trial.put("first", "content")
        let path = trial.store.layout.blob(first.digest)
        let descriptor = open(path, O_WRONLY | O_TRUNC)
        #expect(write(descriptor, "damaged", 7) == 7)
        close(descriptor)
        #expect(try await !trial.store.verify().isSound)
        try await trial.put("second", "content")
        #expect(try await trial.tree() == ["first": "content", "second": "content"])
        #expect(try await trial.store.verify().isSound)
        #expect(try await trial.leavesNothing())
    }

    /// What is expected where `file` has the content `old`, and whether an upload goes there.
    @Test func uploadsGoWhereTheCallerSawWhatIsThere() async throws {
        let trial = try await LibraryTrial()
        let file = try await trial.put("file", "old")
        let other = try await trial.put("other", "old")
        _ = try await trial.folder("folder")
        let wrong = ContentDigest.of([1])
        let cases: [(name: String, expected: ExpectedFile, fails: StoreFailureKind?)] = [
            ("file", .nothing, .conflict), ("file", .file(other.id, nil), .conflict),
            ("file", .file(file.id, wrong), .conflict), ("folder", .nothing, .conflict),
            ("folder", .file(file.id, nil), .conflict), ("new", .file(file.id, nil), .conflict),
            ("new", .nothing, nil), ("FILE", .file(file.id, nil), nil), ("other", .file(other.id, other.digest), nil),
        ]
        for row in cases {
            var target = FileTarget(row.name, in: trial.top, ifTaken: .replace)
            target.expected = row.expected
            target.modifiedAt = 1_000_000_000
            let before = try await trial.tree()
            let kind = await failure {
                let file = try await trial.store.addFile(try trial.upload("written"), at: target, of: trial.ann)
                #expect(file.modifiedAt == 1_000_000_000)
            }
            #expect(kind == row.fails, "\(row)")
            #expect(try await (trial.tree() == before) == (kind != nil), "\(row)")
        }
        #expect(try await trial.store.verify().isSound)
    }

    @Test func aFileNeverTakesThePlaceOfAFolder() async throws {
        let trial = try await LibraryTrial()
        let folder = try await trial.folder("folder")
        try await trial.put("in", "kept", in: trial.place(folder))
        #expect(await failure { try await trial.put("Folder", "x", ifTaken: .replace) } == .alreadyExists)
        #expect(try await trial.tree() == ["folder/": "", "folder/in": "kept"])
        #expect(try await trial.store.deletedItems(of: trial.ann) == [])
    }

    @Test func keepsChecksums() async throws {
        let trial = try await LibraryTrial()
        let (one, two) = (try await trial.put("one", "1"), try await trial.put("two", "2"))
        let checksums = ContentChecksums(md5: Array(repeating: 5, count: 16), sha1: Array(repeating: 1, count: 20))
        try await trial.store.keepChecksums([one.digest: checksums, .of([7]): checksums])
        #expect(try await trial.store.checksums(of: [one.digest, two.digest]) == [one.digest: checksums])
        #expect(try await trial.store.verify().isSound)
    }

    /// The time of an upload tells nobody whether others have the same bytes: as much is done for the second as for the first.
    @Test func doesTheSameForBytesThatAreThere() async throws {
        let trial = try await LibraryTrial()
        let first = try await trial.put("one", "the same")
        let path = trial.scratch.folder + "/store/blobs/\(first.digest.hex.prefix(2))/\(first.digest.hex.dropFirst(2))"
        var before = stat()
        #expect(stat(path, &before) == 0)
        let barriers = trial.store.barrierStatistics.count
        let second = try await trial.put("two", "the same")
        var after = stat()
        #expect(stat(path, &after) == 0)
        #expect(trial.store.barrierStatistics.count == barriers + 1)
        #expect(after.st_ino != before.st_ino)
        #expect(try trial.text(of: second) == "the same")
        #expect(try trial.text(of: first) == "the same")
        #expect(try await trial.leavesNothing())
        #expect(try await trial.store.verify().isSound)
    }

    /// An upload may have begun before its user was disabled.
    @Test func takesNoFilesOfADisabledUser() async throws {
        let trial = try await LibraryTrial()
        let upload = try trial.upload("late")
        try await trial.store.setDisabled(true, user: trial.ann, actor: "test")
        let kind = await failure {
            _ = try await trial.store.addFile(
                upload, at: FileTarget("late", in: trial.top, ifTaken: .refuse), of: trial.ann)
        }
        #expect(kind == .notFound)
        #expect(try await trial.names() == [])
    }

    @Test func uploads() async throws {
        let trial = try await LibraryTrial()
        let file = try await trial.put("A.txt", "one")
        #expect(try trial.text(of: file) == "one")
        #expect(file.contentType == "text/plain")
        #expect(try await trial.leavesNothing())
        let replaced = try await trial.put("a.TXT", "two")
        #expect(replaced.id == file.id)
        #expect(replaced.name == "A.txt")
        #expect(try trial.text(of: replaced) == "two")
        #expect(await failure { try await trial.put("a.txt", "x", ifTaken: .refuse) } == .alreadyExists)
        #expect(try await trial.put("a.txt", "x", ifTaken: .number).name == "a(1).txt")
        // What was overwritten can be had back.
        let deleted = try await trial.store.deletedItems(of: trial.ann)
        #expect(deleted.map(\.name) == ["A.txt"])
        let old = try await trial.store.restore(deleted[0].itemID, of: trial.ann)
        #expect(old.name == "A(2).txt")
        #expect(try await trial.tree() == ["A.txt": "two", "a(1).txt": "x", "A(2).txt": "one"])
        #expect(try await trial.leavesNothing())
        #expect(try await trial.store.verify().isSound)
    }
}
