import GRDB
import Glibc
import Ingest
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

    @Test func uploads() async throws {
        let trial = try await LibraryTrial()
        let file = try await trial.put("A.txt", "one")
        #expect(try trial.text(of: file) == "one")
        #expect(file.contentType == "text/plain")
        #expect(try trial.scratch.leftovers == [])
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
        #expect(try trial.scratch.leftovers == [])
        #expect(try await trial.store.verify().isSound)
    }
}
