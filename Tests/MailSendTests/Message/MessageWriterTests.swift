import FundCore
import TestSupport
import Testing

@testable import MailSend

/// The form of what is written, and what is not written at all.
@Suite struct MessageWriterTests {
    private static func letter(
        subject: String = "Q3", text: String = "Hello\n", name: String? = "Ann Archer",
        _ change: (inout OutgoingMessage) -> Void = { _ in }
    ) throws -> OutgoingMessage {
        var letter = OutgoingMessage(
            from: Correspondent(name: "Fundmail", address: TestLetter.sender),
            to: [Correspondent(name: name, address: TestLetter.recipient)], subject: subject, text: text,
            date: Timestamp(1_795_892_707), messageID: MessageID("1@corp.example"))
        change(&letter)
        return letter
    }

    private static func text(_ letter: OutgoingMessage) throws -> String {
        String(decoding: try MessageWriter.data(of: letter).collect(), as: UTF8.self)
    }

    @Test func aPlainLetter() throws {
        let text = try Self.text(
            Self.letter {
                $0.origin = .replied
                $0.replyTo = [Correspondent(name: "Bob", address: TestLetter.address("bob@example.com"))]
                $0.inReplyTo = MessageID("0@example.com")
                $0.references = [MessageID("a@example.com"), MessageID("0@example.com")].compactMap(\.self)
            })
        let expected = """
            Date: Sat, 28 Nov 2026 19:05:07 +0000
            From: Fundmail <funds@corp.example>
            Reply-To: Bob <bob@example.com>
            To: Ann Archer <ann@example.com>
            Subject: Q3
            Message-ID: <1@corp.example>
            In-Reply-To: <0@example.com>
            References: <a@example.com> <0@example.com>
            Auto-Submitted: auto-replied
            X-Auto-Response-Suppress: All
            X-Fundmail-Loop: funds@corp.example
            MIME-Version: 1.0
            Content-Type: text/plain; charset=utf-8
            Content-Transfer-Encoding: 7bit

            Hello

            """
        #expect(text == expected.replacing("\n", with: "\r\n"))
    }

    @Test(arguments: [
        ("基金", "Subject: =?utf-8?B?5Z+66YeR?="),
        ("Die Größe des ganzen Fonds", "Subject: =?utf-8?Q?Die_Gr=C3=B6=C3=9Fe_des_ganzen_Fonds?="),
        ("=?utf-8?Q?x?=", "Subject: =?utf-8?B?PT91dGYtOD9RP3g/PQ==?="), ("a  b", "Subject: =?utf-8?Q?a__b?="),
    ])
    func subjects(subject: String, line: String) throws {
        #expect(try Self.text(Self.letter(subject: subject)).contains("\r\n\(line)\r\n"))
    }

    @Test(arguments: [
        ("Archer, Ann", #"To: "Archer, Ann" <ann@example.com>"#),
        ("Ann \"A\" \\", #"To: "Ann \"A\" \\" <ann@example.com>"#),
        ("安", "To: =?utf-8?B?5a6J?= <ann@example.com>"), ("", "To: ann@example.com"),
    ])
    func names(name: String, line: String) throws {
        #expect(try Self.text(Self.letter(name: name)).contains("\r\n\(line)\r\n"))
    }

    @Test(arguments: [
        ("a b.pdf", ["filename=\"a b.pdf\""]), ("基金.pdf", ["filename*=utf-8''%E5%9F%BA%E9%87%91.pdf"]),
        ("a\"b.pdf", ["filename*=utf-8''a%22b.pdf"]), ("50%.pdf", ["filename*=utf-8''50%25.pdf"]),
        (
            String(repeating: "字", count: 12),
            ["filename*0*=utf-8''%E5%AD%97%E5%AD%97%E5%AD%97%E5%AD%97%E5%AD%97;", "filename*1*=", "filename*2*="]
        ),
    ])
    func fileNames(name: String, pieces: [String]) throws {
        let file = OutgoingMessage.Attachment(name: name, contentType: "application/pdf", bytes: [1])
        let text = try Self.text(Self.letter { $0.attachments = [file] })
        for piece in pieces { #expect(text.contains(piece), "\(piece): \(text)") }
    }

    /// Bodies that servers on the way would change are encoded.
    @Test(arguments: [
        ("Hello\n", "7bit", "Hello\r\n"), ("Hello", "7bit", "Hello\r\n"), ("", "7bit", ""),
        ("From here\n", "quoted-printable", "=46rom here\r\n"), ("blank \n", "quoted-printable", "blank=20\r\n"),
        ("Grüße an alle anderen\n", "quoted-printable", "Gr=C3=BC=C3=9Fe an alle anderen\r\n"),
        ("基金\n", "base64", "5Z+66YeRDQo=\r\n"),
        ("\u{0}\n", "base64", "AA0K\r\n"), ("a\rb\n", "7bit", "a\r\nb\r\n"),
        (
            String(repeating: "x", count: 80) + "\n", "quoted-printable",
            String(repeating: "x", count: 75) + "=\r\nxxxxx\r\n"
        ),
    ])
    func bodies(text: String, coding: String, body: String) throws {
        let written = try Self.text(Self.letter(text: text))
        #expect(written.hasSuffix("Content-Transfer-Encoding: \(coding)\r\n\r\n\(body)"), "\(written)")
    }

    private static let breaks = ["\r\nBcc: eve@example.com", "\nx", "\rx", "\0", "\t", "\u{1b}[2J", "\u{7f}"]

    /// Every text that a caller gives for a header.
    @Test(arguments: breaks)
    func lineEndsAreRefused(_ ending: String) throws {
        let cases: [(String, (inout OutgoingMessage) -> Void)] = [
            ("Subject", { $0.subject += ending }), ("From", { $0.from.name = "Fundmail\(ending)" }),
            ("To", { $0.to[0].name = "Ann\(ending)" }),
            ("Reply-To", { $0.replyTo = [Correspondent(name: ending, address: TestLetter.sender)] }),
            ("Cc", { $0.cc = [Correspondent(name: ending, address: TestLetter.sender)] }),
            (
                "the name of a file",
                { $0.attachments = [.init(name: "a\(ending)", contentType: "text/plain", bytes: [])] }
            ),
        ]
        for (field, change) in cases {
            let error = #expect(throws: MessageError.self) { try MessageWriter.data(of: Self.letter(change)) }
            #expect(error == MessageError(.control, in: field))
        }
        let type = #expect(throws: MessageError.self) {
            try MessageWriter.data(
                of: Self.letter { $0.attachments = [.init(name: "a", contentType: "text/plain\(ending)", bytes: [])] })
        }
        #expect(type?.problem == .notAMediaType)
        #expect(MessageID("1\(ending)@example.com") == nil)
    }

    @Test func aLetterToNobodyIsRefused() throws {
        let error = #expect(throws: MessageError.self) { try MessageWriter.data(of: Self.letter { $0.to = [] }) }
        #expect(error?.problem == .noRecipient)
    }

    @Test(arguments: [
        ("a\nb\r\n", MessageError.Problem.bareLineEnd), ("a\rb\r\n", .bareLineEnd), ("a\r\n.\n.\r\n", .bareLineEnd),
        ("a\r\r\n", .bareLineEnd), ("a", .bareLineEnd), ("a\r", .bareLineEnd), ("ä\r\n", .eightBit),
        ("\0\r\n", .control),
        (String(repeating: "x", count: 999) + "\r\n", .longLine),
    ])
    func bytesThatServersReadDifferently(text: String, problem: MessageError.Problem) {
        let error = #expect(throws: MessageError.self) { try MessageData(Array(text.utf8)) }
        #expect(error?.problem == problem)
    }

    @Test func theLongestLineIsTaken() throws {
        _ = try MessageData(Array((String(repeating: "x", count: 998) + "\r\n").utf8))
    }

    /// Header lines are short, but for words that cannot be folded; all lines are what every server takes.
    @Test func randomLettersHaveShortLines() throws {
        var letters = RandomLetters(seed: 38)
        for _ in 0..<300 {
            let bytes = try MessageWriter.data(of: letters.letter()).collect()
            let tooLong = bytes.split(separator: .lf).filter { line in
                // With the CR. A word that is longer than a line stands alone behind its space.
                line.count > 79 && line.dropFirst().dropLast().contains(.space)
            }
            #expect(tooLong.isEmpty, "\(tooLong.map { String(decoding: $0, as: UTF8.self) })")
        }
    }

    @Test(arguments: [0, 1, 86_399, 951_782_400, 4_102_444_799])
    func datesAreThoseOfTheCalendar(_ seconds: Int64) {
        let expected: [Int64: String] = [
            0: "Thu, 1 Jan 1970 00:00:00 +0000", 1: "Thu, 1 Jan 1970 00:00:01 +0000",
            86_399: "Thu, 1 Jan 1970 23:59:59 +0000", 951_782_400: "Tue, 29 Feb 2000 00:00:00 +0000",
            4_102_444_799: "Thu, 31 Dec 2099 23:59:59 +0000",
        ]
        #expect(MailDateText.text(Timestamp(seconds)) == expected[seconds])
    }
}
