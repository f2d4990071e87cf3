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
        #expect(try harness.content(stored.message.spooled.digest) == Array("From: ann\n\nbody".utf8))
        for part in parts { #expect(try harness.content(part.digest) == part.bytes) }
        let segments = try DiskDirectory.names(in: harness.store.log.directory.path)
        #expect(segments.map { mode("\(harness.store.log.directory.path)/\($0)") } == [0o600])
        #expect(try await harness.store.administration.funds()[0].bytes == 6)
    }

    /// A message with other line ends in its texts is the same message: so is a Maildir that is imported after the same
    /// mail came by IMAP.
    @Test func aCopyThatCameAnotherWayLeavesNoFiles() async throws {
        let harness = try await StoreHarness()
        let unix = [StoreHarness.Part(name: "a.txt", bytes: Array("1\n2\n".utf8))]
        let wire = [StoreHarness.Part(name: "a.txt", bytes: Array("1\r\n2\r\n".utf8))]
        #expect(try await harness.file("From: ann\n\nbody\n", parts: unix).outcome == .filed)
        #expect(try await harness.file("From: ann\r\n\r\nbody\r\n", parts: wire).outcome == .duplicate)
        let files = [try harness.rawMessages(), try harness.count("blob"), try harness.leftovers.count]
        #expect(files == [1, 1, 0])
        // A message that is no copy any more is not filed without its files.
        let third = try harness.message("From: ann\r\n\r\nbody\n", parts: wire)
        let staged = try harness.stage(third, wire)
        #expect(staged.records.message == nil && staged.records.blobs.isEmpty)
        try harness.store.connection.write("forget") {
            try $0.execute("UPDATE email SET fingerprint = zeroblob(32)")
        }
        await #expect(throws: StoreError.self) { try await harness.store.mail.commit([staged]) }
        #expect(try harness.count("blob") == 1)
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

    /// The end of the process need not move a long write-ahead log any more.
    @Test func settlingMovesTheLog() async throws {
        let harness = try await StoreHarness()
        let path = harness.store.connection.location.database
        let before = try #require(DiskFile.size(of: path))
        for bytes in [100_000, 3_000_000] {
            try harness.store.connection.pool.withWriter { db in
                try db.run(script: "CREATE TABLE filler\(bytes) AS SELECT zeroblob(\(bytes)) AS bytes")
            }
            await harness.store.mail.settle()
            #expect((DiskFile.size(of: path) ?? 0 > before + 3_000_000) == (bytes > 1_000_000))
        }
    }

    @Test func modesDoNotDependOnTheUmask() async throws {
        let old = umask(0)
        defer { umask(old) }
        let harness = try await StoreHarness()
        try await harness.file("a: b\n\nc")
        for name in ["", "log", "tmp", "lost"] {
            #expect(mode("\(harness.store.path)/\(name)") == 0o700, "\(name)")
        }
        for name in ["fundmail.sqlite", "fundmail.sqlite-wal", "fundmail.sqlite-shm", "write.lock", "log/000001.seg"] {
            #expect(mode("\(harness.store.path)/\(name)") == 0o600, "\(name)")
        }
    }

    @Test func sameBytesAreFiledOnce() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.file("Subject: x\n\nbody", place: "one")
        let again = try await harness.file("Subject: x\n\nbody", place: "two")
        #expect(again.outcome == .duplicate)
        #expect(again.emailID == first.emailID)
        #expect(try [harness.count("email"), harness.count("delivery"), harness.rawMessages()] == [1, 2, 1])
        #expect(try harness.leftovers == [])
        #expect(try harness.content(first.message.spooled.digest) != nil)
    }

    @Test func sameBytesTwiceInOneBatch() async throws {
        let harness = try await StoreHarness()
        let batch = try (0..<3).map { _ in try harness.stage(try harness.message("Subject: x\n\nbody")) }
        let outcomes = try await harness.store.mail.commit(batch).map(\.outcome)
        #expect(outcomes == [.filed, .duplicate, .duplicate])
        #expect(try harness.rawMessages() == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func anotherCopyIsADuplicateWithoutBytes() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.file("Received: a\nSubject: x\n\nbody")
        let copy = try await harness.file("Received: b\nSubject: x\n\nbody")
        #expect(copy.outcome == .duplicate)
        #expect(copy.emailID == first.emailID)
        #expect(try harness.rawMessages() == 1)
        #expect(try harness.count("message") == 1)
    }

    /// The third copy was staged before the second one was committed.
    @Test func aDroppedCopyMayBeInTheNextBatch() async throws {
        let harness = try await StoreHarness()
        try await harness.file("Received: a\nSubject: x\n\nbody")
        let copies = try (0..<2).map { _ in
            try harness.stage(try harness.message("Received: b\nSubject: x\n\nbody"))
        }
        for copy in copies { #expect(try await harness.store.mail.commit([copy])[0].outcome == .duplicate) }
        #expect(try harness.rawMessages() == 1)
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
        #expect(try harness.content(stored[1].message.spooled.digest) != nil)
        #expect(try harness.rawMessages() == 2)
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
        let end = try #require(lost.records.message?.location.end)
        try harness.reopen()
        let stored = try await harness.file("a: b\n\nc", parts: [part])
        #expect(stored.outcome == .filed)
        #expect(try harness.content(stored.message.spooled.digest) == Array("a: b\n\nc".utf8))
        #expect(try harness.content(part.digest) == part.bytes)
        // `lost` still holds its segment; in a process of its own it would be taken over.
        withExtendedLifetime(lost) { #expect(end > 0) }
    }

    /// Bytes that the disk has lost must not stand in for those that came just now.
    @Test(arguments: [true, false])
    func aDamagedAttachmentIsStoredAgain(_ isLost: Bool) async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "a.pdf", bytes: [UInt8](repeating: 3, count: 5000))
        try await harness.file("a: b\n\none", parts: [part])
        try isLost ? harness.lose(part.digest) : harness.damage(part.digest)
        #expect(try harness.content(part.digest) == nil)
        #expect(try await harness.file("a: b\n\ntwo", parts: [part]).outcome == .filed)
        #expect(try harness.content(part.digest) == part.bytes)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// A copy with other trace fields is a duplicate; where the first one is damaged, it takes its place.
    @Test func aCopyMendsItsDamagedFirstOne() async throws {
        let harness = try await StoreHarness()
        let first = try await harness.file("Received: a\nSubject: x\n\nbody")
        try harness.damage(first.message.spooled.digest)
        let copy = try await harness.file("Received: b\nSubject: x\n\nbody")
        #expect(copy.outcome == .duplicate && copy.emailID == first.emailID)
        #expect(try harness.content(copy.message.spooled.digest) == Array("Received: b\nSubject: x\n\nbody".utf8))
        #expect(try harness.rawMessages() == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
        #expect(try await harness.file("Received: c\nSubject: x\n\nbody").outcome == .duplicate)
    }

    /// Two runs and an upload bring the same bytes, each in its own time: what one of them gives up is never what a row
    /// has.
    @Test(arguments: [true, false])
    func bytesThatSeveralBringStay(_ hasUpload: Bool) async throws {
        let harness = try await StoreHarness()
        let other = try FundStore.open(at: harness.store.path, mode: .existing)
        let part = StoreHarness.Part(name: "logo", bytes: [UInt8](repeating: 6, count: 3000))
        func stage(_ text: String, in store: FundStore) throws -> StagedMessage {
            try store.mail.stage(try harness.message("a: b\n\n\(text)", parts: [part])) { _, consume in
                try part.bytes.withUnsafeBytes(consume)
            }
        }
        let (one, two) = (try stage("one", in: harness.store), try stage("two", in: harness.store))
        let three = try stage("three", in: other)
        #expect(try await harness.store.mail.commit([one])[0].outcome == .filed)
        #expect(try await other.mail.commit([three])[0].outcome == .filed)
        if hasUpload {
            let upload = try harness.store.library.makeUpload(named: "logo", announcing: Int64(part.bytes.count))
            try part.bytes.withUnsafeBytes { try upload.append($0) }
            let target = FileTarget("again", in: LibraryPlace(fund: harness.fund.id), ifTaken: .refuse)
            _ = try await harness.store.library.addFile(
                try upload.finish(contentType: "a/b"), at: target, of: harness.ann.id)
        }
        #expect(try await harness.store.mail.commit([two])[0].outcome == .filed)
        _ = try await harness.store.maintenance.sweep()
        #expect(try harness.content(part.digest) == part.bytes)
        #expect(try await harness.store.maintenance.verify().isSound)
        try other.close()
    }

    /// Copies of a large message take no room, once they are known to be copies.
    @Test func largeCopiesTakeNoRoom() async throws {
        let harness = try await StoreHarness()
        let body = String(repeating: "large ", count: 400_000)
        var batch = try (0..<4).map { number in
            try harness.stage(try harness.message("Received: \(number)\nSubject: x\n\n\(body)"))
        }
        let outcomes = try await harness.store.mail.commit(batch).map(\.outcome)
        #expect(outcomes == [.filed, .duplicate, .duplicate, .duplicate])
        batch = []
        // The writer lets go of them with its next barrier.
        try await harness.file("a: b\n\nlater")
        _ = try await harness.store.maintenance.sweep()
        let path = harness.store.log.directory.path
        let bytes = try DiskDirectory.names(in: path).reduce(0) { $0 + (DiskFile.size(of: "\(path)/\($1)") ?? 0) }
        #expect(bytes < 3_000_000)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    @Test func anAttachmentThatReadsDifferentlyIsRefused() async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3])
        let message = try harness.message("a: b\n\nc", parts: [part])
        #expect(throws: StoreError.self) {
            try harness.stage(message, [StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3, 4])])
        }
        #expect(try harness.leftovers == [])
        #expect(try harness.count("blob") == 0)
        #expect(try harness.rawMessages() == 0)
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

    /// The second message has the first one's attachment, which did not fit: its bytes are there all the same.
    @Test func whatIsTakenBackHindersNoOtherMessage() async throws {
        let harness = try await StoreHarness()
        let bytes = [UInt8](repeating: 3, count: 2 << 20)
        let shared = [StoreHarness.Part(name: "a.pdf", bytes: [1, 2, 3]), StoreHarness.Part(name: "b", bytes: bytes)]
        let own = StoreHarness.Part(name: "b.pdf", bytes: [4, 5])
        var first: StagedMessage? = try harness.stage(try harness.message("a: b\n\none", parts: shared), shared)
        let second = try harness.stage(try harness.message("a: b\n\ntwo", parts: shared), shared)
        let third = try harness.stage(try harness.message("a: b\n\nthree", parts: [own]), [own])
        await harness.store.mail.abandon([try #require(first)])
        first = nil
        #expect(try await harness.store.mail.commit([second, third]).map(\.outcome) == [.filed, .filed])
        #expect(try harness.rawMessages() == 2)
        #expect(try harness.count("blob") == 3)
        #expect(try harness.content(shared[1].digest) == bytes)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// The bytes of a large attachment come back at once, since it has a segment for itself.
    @Test func anAbandonedLargeAttachmentTakesNoRoom() async throws {
        let harness = try await StoreHarness()
        let part = StoreHarness.Part(name: "b", bytes: [UInt8](repeating: 3, count: 2 << 20))
        var staged: StagedMessage? = try harness.stage(try harness.message("a: b\n\none", parts: [part]), [part])
        let location = try #require(staged?.records.blobs[part.digest]?.location)
        let path = harness.store.log.directory.path(of: location.segment)
        #expect(DiskFile.size(of: path) ?? 0 > 2 << 20)
        await harness.store.mail.abandon([try #require(staged)])
        staged = nil
        // The writer lets go of it with its next barrier.
        try await harness.file("a: b\n\ntwo")
        #expect(DiskFile.size(of: path) == Int64(LogFormat.openingBytes))
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
