import FundCore
import Foundation
import FundStore
import MailConnection
import TestSupport
import Testing

@testable import MailSend

/// Letters of people, as they are written and handed over.
@Suite struct PersonalLetterComposerTests {
    static let places = LetterPlaces(
        pages: "https://funds.corp.example", maxMessageBytes: 100_000_000, subaddressSeparator: "+")
    static let sender = Correspondent(name: "Fundmail", address: TestLetter.sender)

    static func facts(_ change: (inout WrittenLetterFacts) -> Void = { _ in }) throws -> WrittenLetterFacts {
        let to = try AddressList("\"Ray, Cy\" <Cy@corp.example>, 李四 <li@x.org>").people
        var facts = WrittenLetterFacts(
            id: 7, senderName: "Ann Archer", replyTo: "ann@example.com", to: to,
            cc: try AddressList("e@x.org").people, recipient: to[0], subject: "Q3 报告", text: "Here it is.\n",
            sentAt: Timestamp(1_700_000_000), mark: "00112233445566778899aabbccddeeff", answered: "q3@example.com",
            attachments: [], bounceMark: "b.12.0123456789abcdef0123")
        change(&facts)
        return facts
    }

    struct FixedFacts: LetterFactReading {
        var facts: LetterFacts
        func facts(of letter: OutboxLetter) async throws -> LetterFacts { facts }
    }

    /// A content that stands in memory, and may end early.
    struct Content: StoredContent {
        var bytes: [UInt8]
        var readable = Int.max
        var size: Int64 { Int64(bytes.count) }

        func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
            guard range.upperBound <= Int64(clamping: readable) else { throw StoreError(.corrupted, "read", "damaged") }
            try bytes[Int(range.lowerBound)..<Int(range.upperBound)].withUnsafeBytes(consume)
        }

        func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool { false }
        func region(_ range: Range<Int64>) -> StoredRegion? { nil }
    }

    static func attachment(_ bytes: [UInt8], name: String = "a.pdf", type: String = "application/pdf")
        -> LetterAttachment
    {
        LetterAttachment(
            number: 1, name: name, contentType: type, size: Int64(bytes.count), digest: .of(bytes), item: nil)
    }

    static func writer(
        _ facts: WrittenLetterFacts, _ places: LetterPlaces = places,
        contents: @escaping LetterWriter.Contents = { _ in throw StoreError(.notFound, "open", "none") }
    ) -> LetterWriter {
        LetterWriter(facts: FixedFacts(facts: .letter(facts)), contents: contents) { places }
    }

    static func composed(
        _ facts: WrittenLetterFacts, _ places: LetterPlaces = places, contents: LetterWriter.Contents? = nil
    ) async throws -> (message: OutgoingMessage, envelope: LetterEnvelope) {
        let writer = writer(facts, places, contents: contents ?? { _ in throw StoreError(.notFound, "open", "none") })
        let row = ReceiptComposerTests.letter(.letter(facts.id))
        guard case .written(let message, let envelope) = try await writer.compose(row, from: sender) else {
            throw StoreError(.invalid, "compose", "it is no letter of a person")
        }
        return (message, envelope)
    }

    @Test func asOneself() async throws {
        let (message, envelope) = try await Self.composed(try Self.facts())
        #expect(message.from == Correspondent(name: "Ann Archer via Fundmail", address: TestLetter.sender))
        #expect(message.replyTo.map { "\($0.name ?? "") \($0.address)" } == ["Ann Archer ann@example.com"])
        #expect(message.to.map(\.address.description) == ["Cy@corp.example", "li@x.org"])
        #expect(message.cc.map(\.address.description) == ["e@x.org"] && message.subject == "Q3 报告")
        #expect(message.messageID.description == "00112233445566778899aabbccddeeff@corp.example")
        #expect(message.inReplyTo?.description == "q3@example.com" && message.references.count == 1)
        #expect(message.origin == .person && message.date == Timestamp(1_700_000_000))
        #expect(envelope.returnPath.description == "funds+b.12.0123456789abcdef0123@corp.example")
        #expect(envelope.recipient.description == "Cy@corp.example")
        let text = String(decoding: try MessageWriter.data(of: message).collect(), as: UTF8.self)
        #expect(!text.contains("Auto-Submitted") && !text.contains("0123456789abcdef0123"))
    }

    /// Without subaddresses a report comes to the address itself.
    @Test func withoutSubaddresses() async throws {
        var places = Self.places
        places.subaddressSeparator = nil
        #expect(try await Self.composed(try Self.facts(), places).envelope.returnPath == TestLetter.sender)
        let facts = try Self.facts { $0.bounceMark = String(repeating: "x", count: 60) }
        #expect(try await Self.composed(facts).envelope.returnPath == TestLetter.sender)
    }

    @Test func aLinkStandsBelowTheText() async throws {
        let facts = try Self.facts {
            $0.link = .init(path: "/s/token", expiresAt: Timestamp(1_700_000_000))
            $0.subject = "Q3"
        }
        let text = try await Self.composed(facts).message.text
        #expect(
            text == "Here it is.\n\n\nThe files, until 2023-11-14:\nhttps://funds.corp.example/s/token\n", "\(text)")
    }

    /// Texts of people and servers cannot begin another field.
    @Test func hostileNames() async throws {
        for hostile in [
            "a\r\nBcc: x@x.org", "\u{0}\u{1B}[31m", "\u{202E}gnp", "\"<x@x.org>", String(repeating: "é", count: 3000),
        ] {
            let facts = try Self.facts {
                ($0.senderName, $0.subject, $0.answered) = (hostile, hostile, hostile)
                $0.attachments = [Self.attachment([1], name: hostile, type: hostile)]
            }
            let (message, _) = try await Self.composed(facts) { _ in Content(bytes: [1]) }
            let data = try MessageWriter.data(of: message)
            let fields = String(decoding: try data.collect(), as: UTF8.self)
            #expect(!fields.contains("\r\nBcc:") && !fields.contains("\u{1B}") && data.size > 0)
        }
    }

    // MARK: Files

    /// A large file is read while the letter goes out; its size is known before.
    @Test(arguments: [0, 1, 56, 57, 58, 49_020, 49_021, 262_144, 262_145, 3_000_000])
    func filesAreReadInPieces(count: Int) async throws {
        let bytes = patternBytes(count)
        let facts = try Self.facts { $0.attachments = [Self.attachment(bytes, type: "text/plain")] }
        let (message, _) = try await Self.composed(facts) { _ in Content(bytes: bytes) }
        let data = try MessageWriter.data(of: message)
        let all = try data.collect()
        #expect(all.count == data.size)
        #expect(try MessageData(all).size == data.size)
        var pieces = MessagePieces(data)
        while let piece = try pieces.next() { #expect(!piece.isEmpty && piece.count < 100_000) }
        let text = String(decoding: all, as: UTF8.self)
        let coded = try #require(
            text.components(separatedBy: "base64\r\n\r\n").last?.components(separatedBy: "\r\n\r\n--").first)
        #expect(Data(base64Encoded: coded.replacing("\r\n", with: "")) == Data(bytes))
    }

    /// A file that cannot be read to its end ends no letter: the server has nothing, and it is tried again.
    @Test func aDamagedFileSendsNothing() async throws {
        let bytes = patternBytes(600_000)
        let facts = try Self.facts { $0.attachments = [Self.attachment(bytes)] }
        let harness = try RelayHarness("cy@corp.example")
        let server = try SMTPScript().start()
        defer { server.stop() }
        let writer = Self.writer(facts) { _ in Content(bytes: bytes, readable: 300_000) }
        _ = await harness.sendDue(server.port, composer: writer)
        let letter = try await harness.letter(1)
        #expect(letter.state == .deferred && letter.note?.contains("cannot be read") == true, "\(letter)")
        #expect(!server.lines.contains("."))
    }

    @Test func aFileThatIsKeptFromPeopleIsNotSent() async throws {
        let facts = try Self.facts { $0.attachments = [Self.attachment([1])] }
        let writer = Self.writer(facts) { _ in throw StoreError(.quarantined, "read a file", "it holds Test.Malware") }
        let row = ReceiptComposerTests.letter(.letter(7))
        #expect(
            try await writer.compose(row, from: Self.sender)
                == .dropped("a file of it is kept from people by now: it holds Test.Malware"))
    }

    /// From the store to a server, byte for byte, and with a return path of its own for each recipient.
    @Test func aLetterGoesOut() async throws {
        let harness = try RelayHarness()
        let ann = try await harness.store.administration.addUser(
            email: "ann@example.com", name: "Ann", isAdministrator: false, addresses: [], actor: "test")
        let fund = try await harness.store.administration.addFund(name: "F", owner: ann.id, aliases: [], actor: "test")
        let upload = try harness.store.library.makeUpload(named: "big.bin", announcing: nil)
        let bytes = patternBytes(700_000)
        try bytes.withUnsafeBytes { try upload.append($0) }
        let file = try await harness.store.library.addFile(
            try upload.finish(contentType: "application/octet-stream"),
            at: FileTarget("big.bin", in: LibraryPlace(fund: fund.id), ifTaken: .refuse), of: ann.id)
        let letter = NewLetter(
            to: try AddressList("cy@corp.example, d@x.org").people, subject: "Big", text: ".\n..\nFrom me\n",
            items: [.file(file.id)])
        let (sent, _) = try await harness.store.letters.addLetter(letter, with: [:], LetterPolicy(), of: ann.id)
        let store = harness.store
        let writer = LetterWriter(facts: store.outbox, contents: { try store.letters.content(of: $0) }) { Self.places }
        let server = try SMTPScript().start()
        defer { server.stop() }
        #expect(await harness.sendDue(server.port, composer: writer) == nil)
        let found = try await store.letters.letter(sent.summary.id, of: ann.id)
        #expect(found.summary.recipients.map(\.delivery) == [.sent, .sent])
        let paths = server.lines.filter { $0.hasPrefix("MAIL FROM:<funds+b.") }
        #expect(paths.count == 2 && Set(paths).count == 2, "\(server.lines.prefix(20))")
        #expect(server.lines.contains("RCPT TO:<cy@corp.example>") && server.lines.contains("RCPT TO:<d@x.org>"))
    }
}
