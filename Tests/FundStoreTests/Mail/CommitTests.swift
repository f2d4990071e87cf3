import TestSupport
import Glibc
import FundCore
import Synchronization
import Testing

@testable import FundStore

@Suite struct CommitTests {
    /// Bodies are cut once, by the parser, which files what it cuts off; a second limit here would lose text.
    @Test func aLongBodyIsKeptAsTheParserGivesIt() async throws {
        let harness = try await StoreHarness()
        let body = String(repeating: "ä", count: 1 << 19)
        var message = try harness.message("long")
        message.parsed = .message(ParsedMessage(header: MessageHeader(), text: body, html: body))
        _ = try await harness.store.mail.commit([try harness.stage(message)])
        let kept: [String] = try harness.store.connection.read("look") {
            try $0.values("SELECT text || html FROM email")
        }
        #expect(kept == [body + body])
    }

    @Test func filesAMessageWithItsAttachments() async throws {
        let harness = try await StoreHarness()
        let parts = [
            StoreHarness.Part(name: "q3.pdf", bytes: Array("report".utf8)),
            StoreHarness.Part(name: "logo.png", bytes: Array("logo".utf8), isInline: true),
        ]
        let stored = try await harness.file("From: ann\n\nbody", parts: parts)
        #expect(stored.outcome == .filed)
        #expect(stored.emailID == 1)
        #expect(try harness.fileNames() == ["q3.pdf"])
        #expect(try harness.count("attachment") == 2)
        #expect(try harness.leftovers == [])
        #expect(mode(stored.message.spooled.path) == 0o600)
        #expect(mode(harness.store.connection.layout.blob(parts[0].digest)) == 0o600)
        #expect(try await harness.store.administration.funds()[0].bytes == 6)
    }

    /// As an import of a Maildir after the same mail came by IMAP: other line ends in its texts, one message all the
    /// same.
    @Test func aCopyThatCameAnotherWayLeavesNoFiles() async throws {
        let harness = try await StoreHarness()
        let unix = [StoreHarness.Part(name: "a.txt", bytes: Array("1\n2\n".utf8))]
        let wire = [StoreHarness.Part(name: "a.txt", bytes: Array("1\r\n2\r\n".utf8))]
        #expect(try await harness.file("From: ann\n\nbody\n", parts: unix).outcome == .filed)
        #expect(try await harness.file("From: ann\r\n\r\nbody\r\n", parts: wire).outcome == .duplicate)
        let files = [try harness.files("raw"), try harness.files("blobs"), try harness.leftovers.count]
        #expect(files == [1, 1, 0])
        // What is no copy any more is not filed without its files.
        let third = try harness.message("From: ann\r\n\r\nbody\n", parts: wire)
        let staged = try harness.stage(third, wire)
        #expect(staged.files.hasNoBlobs)
        try harness.store.connection.write("forget") {
            try $0.execute("UPDATE email SET fingerprint = zeroblob(32)")
        }
        await #expect(throws: StoreError.self) { try await harness.store.mail.commit([staged]) }
        #expect(try harness.files("blobs") == 1)
    }

    @Test func writerSyncsFully() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc")
        let values: [Int?] = try harness.store.connection.pool.withWriter { db in
            [
                try db.value("PRAGMA synchronous"), try db.value("PRAGMA foreign_keys"),
                try db.value("PRAGMA journal_mode") == "wal" ? 1 : 0,
            ]
        }
        #expect(values == [2, 1, 1])
    }

    @Test func modesDoNotDependOnTheUmask() async throws {
        let old = umask(0)
        defer { umask(old) }
        let harness = try await StoreHarness()
        for name in ["", "raw", "raw/ab", "blobs/00", "tmp"] {
            #expect(mode("\(harness.store.path)/\(name)") == 0o700, "\(name)")
        }
        for name in ["fundmail.sqlite", "fundmail.sqlite-wal", "fundmail.sqlite-shm", "write.lock"] {
            #expect(mode("\(harness.store.path)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func sameBytesAreFiledOnce() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.file("Subject: x\n\nbody", place: "one")
        let again = try await harness.file("Subject: x\n\nbody", place: "two")
        #expect(again.outcome == .duplicate)
        #expect(again.emailID == first.emailID)
        #expect(try [harness.count("email"), harness.count("delivery"), harness.files("raw")] == [1, 2, 1])
        #expect(try harness.leftovers == [])
        #expect(StoreLayout.size(of: first.message.spooled.path) != nil)
    }

    @Test func sameBytesTwiceInOneBatch() async throws {
        let harness = try await StoreHarness()
        let batch = try (0..<3).map { _ in try harness.stage(try harness.message("Subject: x\n\nbody")) }
        let outcomes = try await harness.store.mail.commit(batch).map(\.outcome)
        #expect(outcomes == [.filed, .duplicate, .duplicate])
        #expect(try harness.files("raw") == 1)
    }

    @Test func anotherCopyIsADuplicateAndItsRawFileGoes() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.file("Received: a\nSubject: x\n\nbody")
        let copy = try await harness.file("Received: b\nSubject: x\n\nbody")
        #expect(copy.outcome == .duplicate)
        #expect(copy.emailID == first.emailID)
        #expect(try harness.files("raw") == 1)
        #expect(try harness.count("message") == 1)
    }

    /// The third copy was staged before the second one's commit dropped the file that both had.
    @Test(arguments: [0, ENOSYS])
    func aDroppedCopyMayBeInTheNextBatch(_ syncfs: Int32) async throws {
        let harness = try await StoreHarness(sync: { _ in syncfs })
        try await harness.file("Received: a\nSubject: x\n\nbody")
        let copies = try (0..<2).map { _ in
            try harness.stage(try harness.message("Received: b\nSubject: x\n\nbody"))
        }
        for copy in copies { #expect(try await harness.store.mail.commit([copy])[0].outcome == .duplicate) }
        #expect(try harness.files("raw") == 1)
    }

    /// The first of them repeats a kept message and is dropped; meanwhile a fund was made that takes the second.
    @Test func aFileThatIsDroppedAndFiledInOneBatchStays() async throws {
        let harness = try await StoreHarness()
        try await harness.file("Received: a\nSubject: x\n\nbody", reason: .unknownFund)
        let batch = try [Reason.unknownFund, nil].map { reason in
            try harness.stage(try harness.message("Received: b\nSubject: x\n\nbody", reason: reason))
        }
        let stored = try await harness.store.mail.commit(batch)
        #expect(stored.map(\.outcome) == [.duplicate, .filed])
        #expect(StoreLayout.size(of: harness.store.mail.rawPath(stored[1].message.spooled.digest)) != nil)
        #expect(try harness.files("raw") == 2)
    }

    @Test func aNewMessageWithoutItsRawFileHasNoRow() async throws {
        let harness = try await StoreHarness()
        let staged = try harness.stage(try harness.message("Subject: x\n\nbody"))
        unlink(staged.message.spooled.path)
        await #expect { try await harness.store.mail.commit([staged]) } throws: { ($0 as? StoreError)?.code == .stale }
        #expect(try harness.count("message") == 0)
    }

    @Test func aKeptCopyDoesNotHinderFiling() async throws {
        let harness = try await StoreHarness()
        let kept = try await harness.file("Received: a\nSubject: x\n\nbody", reason: .unverifiedSender)
        let keptAgain = try await harness.file("Received: b\nSubject: x\n\nbody", reason: .unverifiedSender)
        #expect(keptAgain.outcome == .duplicate)
        #expect(keptAgain.misrouteID == kept.misrouteID)
        let filed = try await harness.file("Received: c\nSubject: x\n\nbody")
        #expect(filed.outcome == .filed)
        let record = try await harness.store.administration.misroute(#require(kept.misrouteID))
        #expect(record.resolution == .filed(emailID: try #require(filed.emailID)))
        #expect(try await harness.store.administration.misroutes() == [])
        let later = try await harness.file("Received: d\nSubject: x\n\nbody")
        #expect(later.outcome == .duplicate)
        #expect(later.emailID == filed.emailID)
    }

    @Test func differentMailOfOneMessageIDIsTwo() async throws {
        let harness = try await StoreHarness()
        try await harness.file("Message-ID: <1@x>\n\none")
        #expect(try await harness.file("Message-ID: <1@x>\n\ntwo").outcome == .filed)
    }

    @Test func aServersPlaceIsLoggedOnce() async throws {
        let harness = try await StoreHarness()
        for _ in 0..<2 { try await harness.file("a: b\n\nc", mailbox: "funds", place: "7/1") }
        #expect(try harness.count("delivery") == 1)
    }

    @Test func whatWasStagedButNotCommittedComesAgain() async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        let lost = try harness.stage(try harness.message("a: b\n\nc", parts: [part]), [part])
        // What a power cut may leave: names without content.
        for path in [lost.message.spooled.path, harness.store.connection.layout.blob(part.digest)] { truncate(path, 0) }
        try harness.reopen()
        let stored = try await harness.file("a: b\n\nc", parts: [part])
        #expect(stored.outcome == .filed)
        #expect(StoreLayout.size(of: stored.message.spooled.path) == 7)
        #expect(StoreLayout.size(of: harness.store.connection.layout.blob(part.digest)) == 3)
    }

    @Test func anAttachmentThatReadsDifferentlyIsRefused() async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        let message = try harness.message("a: b\n\nc", parts: [part])
        #expect(throws: StoreError.self) {
            try harness.stage(message, [StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 4])])
        }
        message.spooled.discard()
        #expect(try harness.leftovers == [])
        #expect(try harness.files("blobs") == 0)
        #expect(try harness.files("raw") == 0)
    }

    @Test func afterAFailedBarrierFilesAreWrittenAnew() async throws {
        let box = Box(Mutex(false))
        let harness = try await StoreHarness(sync: { _ in box.value.withLock { $0 } ? EIO : 0 })
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        let one = try harness.stage(try harness.message("a: b\n\none", parts: [part]), [part])
        let two = try harness.stage(try harness.message("a: b\n\ntwo", parts: [part]), [part])
        #expect(two.stagedBytes < one.stagedBytes + 3)
        box.value.withLock { $0 = true }
        await #expect(throws: StoreError.self) { try await harness.store.mail.commit([one]) }
        box.value.withLock { $0 = false }
        await #expect { try await harness.store.mail.commit([two]) } throws: { ($0 as? StoreError)?.code == .stale }
        #expect(try harness.count("message") == 0)
        let again = try harness.stage(try harness.message("a: b\n\none", parts: [part]), [part])
        #expect(again.stagedBytes == one.stagedBytes)
        #expect(try await harness.store.mail.commit([again])[0].outcome == .filed)
    }

    @Test func withoutSyncfsEachFileIsSynced() async throws {
        let harness = try await StoreHarness(sync: { _ in ENOSYS })
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        #expect(try await harness.file("a: b\n\none", parts: [part]).outcome == .filed)
        let gone = try harness.stage(try harness.message("a: b\n\ntwo", parts: [part]), [part])
        unlink(harness.store.connection.layout.blob(part.digest))
        await #expect(throws: StoreError.self) { try await harness.store.mail.commit([gone]) }
    }

    /// The second message has the first one's attachment, which went with it when that did not fit: it comes again. The
    /// third is none of theirs.
    @Test(arguments: [0, ENOSYS])
    func whatIsTakenBackHindersNoOtherMessage(_ syncfs: Int32) async throws {
        let harness = try await StoreHarness(sync: { _ in syncfs })
        let shared = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        let own = StoreHarness.Part(name: "b.pdf", bytes: [4, 5])
        let first = try harness.stage(try harness.message("a: b\n\none", parts: [shared]), [shared])
        let second = try harness.stage(try harness.message("a: b\n\ntwo", parts: [shared]), [shared])
        let third = try harness.stage(try harness.message("a: b\n\nthree", parts: [own]), [own])
        await harness.store.mail.abandon([first])
        await #expect {
            try await harness.store.mail.commit([second, third])
        } throws: { ($0 as? StoreError)?.code == .stale }
        await #expect { try await harness.store.mail.commit([second]) } throws: { ($0 as? StoreError)?.code == .stale }
        await harness.store.mail.abandon([second])
        #expect(try await harness.store.mail.commit([third])[0].outcome == .filed)
        #expect(try harness.files("raw") == 1)
        #expect(try harness.files("blobs") == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func nulsDoNotCutText() async throws {
        let harness = try await StoreHarness()
        try await harness.file("a\0b: c\n\nd", place: "a\0b")
        let place: String? = try harness.store.connection.read("") { try $0.value("SELECT place FROM message") }
        #expect(place == "a\u{FFFD}b")
    }
}

final class Box<Value: ~Copyable & Sendable>: Sendable {
    let value: Value
    init(_ value: consuming Value) { self.value = value }
}
