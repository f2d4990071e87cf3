import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct PrescanTests {
    private static let multipart = "From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n"

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let refused: [(String, Reason)] = [
        ("", .unparseable), ("\n\n", .unparseable), ("no field here\nSubject: x\n\n", .unparseable),
        ("To: " + many("g:", 2100) + "\n\n", .tooComplex),
        (many("a: b\n", 501) + "\n", .tooComplex),
        ("Subject: " + many("x", 300_000) + "\n\n", .tooComplex),
        ("Subject: " + many("x\n ", 100_000) + "\n\n", .tooComplex),
        (multipart + many("--x\n\n\n", 1001), .tooComplex),
        (multipart + "--x\n" + many("a: b\n", 501), .tooComplex),
        (multipart + "--x\nContent-Type: message/rfc822\n\nTo: " + many("g:", 2100), .tooComplex),
        ("Content-Type: multipart/mixed; boundary*=x\n\n" + many("--q\n\n", 1002), .tooComplex),
        ("Content-Type: multipart/mixed; boundary=" + many("b", 3000) + "\n\n", .tooComplex),
        (nested(31), .tooComplex),
        // readers find another boundary in these
        ("Content-Type: multipart/mixed; boundary=(c)x\n\n" + many("--x\n\n", 1002), .tooComplex),
        ("Content-Type: multipart/mixed; boundary=\"=?us-ascii?q?x?=\"\n\n" + many("--x\n\n", 1002), .tooComplex),
        ("Content-Type: multipart/mixed; boundary=\"a=?us-ascii?q?x?= b\"\n\n" + many("--ax b\n\n", 1002), .tooComplex),
        (
            "Content-Type: multipart/mixed; boundary=\"Boundary_(x)\"\n\n" + many("--Boundary_(x)\n\n\n", 1002),
            .tooComplex
        ),
        ("Content-Type: multipart/mixed; boundary=Boundary_(x)\n\n" + many("--Boundary_(x)\n\n\n", 1002), .tooComplex),
    ]

    /// Where a body begins without an empty line in front of it, as the beginning of the line.
    @Test(arguments: [
        (multipart + "--x\nContent-Type: text/csv\na,b\n1:2\n\nc\n--x--\n", ["a,b"]),
        (multipart + "--x\nContent-Transfer-Encoding: base64\nJVBERi0\nAAAA\n--x--\n", ["JVBERi0"]),
        (multipart + "--x\nJVBERi0\n--x\nAAAA\n--x--\n", ["JVBERi0", "AAAA"]),
        (multipart + "--x\nContent-Type: text/plain\na text: b\n--x--\n", ["a text"]),
        ("Content-Type: multipart/mixed; boundary=x\n--x\nContent-Type: a/b\n\nx\n--x--\n", ["--x\nContent-Type: a"]),
        ("Subject: x\nhello\nworld: x\n\nmore\n", ["hello"]), ("Subject: x\nhello", ["hello"]),
        (multipart + "--x\nContent-Type: multipart/mixed; boundary=y\n--y\n\na\n--y--\n--x--\n", ["--y\n\n"]),
        // lines of a header that are broken
        (multipart + "--x\nContent-Type: a/b;\nname=\"x\"\n\nx\n--x--\n", []),
        (multipart + "--x\njunk\nContent-Type: a/b\n\nx\n--x--\n", []),
        (multipart + "--x\nContent-Transfer-Encoding: base64\nlost its blank\n\nAAAA\n--x--\n", []),
        ("Subject: x\nhello\nFrom: a@b\n\nmore\n", []), ("From: a@b\n>From x\nSubject: x\n\nmore\n", []),
        (multipart + "--x\nContent-Type: a/b\n--x--\n", []), (multipart + "--x\n\nno: field\nline\n--x--\n", []),
        // not a header for every reader: nothing is put in
        ("Content-Type: multipart/digest; boundary=x\n\n--x\n\nFrom: a@b\nline\n\n--x\nline\n--x--\n", []),
        (multipart + "--x\nContent-Type: message/delivery-status\n\nA: b\nline\n\n--x--\n", []),
        (multipart + "--x\n\na\n--x--\n--x\nline\n", []),
    ])
    func missingSeparators(_ message: String, _ lines: [String]) {
        for text in [message, message.replacing("\n", with: "\r\n")] {
            guard case .ok(let result) = Prescan.scan(Array(text.utf8), limits: ParseLimits()) else {
                Issue.record("refused")
                continue
            }
            let bytes = Array(text.utf8)
            let found = result.missingSeparators.map { String(decoding: bytes[Int($0)...], as: UTF8.self) }
            #expect(found.count == lines.count)
            for (found, line) in zip(found, lines) {
                #expect(found.replacing("\r\n", with: "\n").hasPrefix(line), "\(found)")
            }
        }
    }

    @Test(arguments: ["\n", "\r\n"]) func skipsWhatStandsBeforeTheHeader(_ end: String) {
        let lead = end + "From a@b Fri Nov 20" + end
        guard
            case .ok(let result) = Prescan.scan(
                Array((lead + "Subject: x" + end + end + "b").utf8), limits: ParseLimits())
        else {
            Issue.record("refused")
            return
        }
        #expect(result.headerOffset == Int64(lead.utf8.count))
        #expect(result.defects == [.leadingBlankLine, .mboxFromLine])
        #expect(result.header.fields.map(\.name) == ["subject"])
    }

    @Test(arguments: refused)
    func refuses(_ message: String, _ expected: Reason) {
        for text in [message, message.replacing("\n", with: "\r\n")] {
            guard case .refused(let reason, _, _, _) = Prescan.scan(Array(text.utf8), limits: ParseLimits())
            else {
                Issue.record("passed: \(text.prefix(60))")
                continue
            }
            #expect(reason == expected)
        }
    }

    private static let passed: [String] = [
        "To: " + many("\"A: B\" <investor@example.org>,\n ", 1000) + "a@b\nCc: " + many("c@example.org, ", 1000)
            + "\n\nx\n",
        multipart + many("--x\n\nbody\n", 1000) + "--x--\n" + many("a: b\n", 600),
        nested(29), "Subject: x\n\n" + many("a: b\n", 600),
        // lines that only begin with -- are no parts, whatever the boundary looks like
        "Content-Type: multipart/mixed; boundary=\"Boundary_(ID_x)\"\n\n" + many("--q\n\n", 1002),
        "Content-Type: multipart/mixed; boundary=Boundary_(ID_x)\n\n" + many("--q\n\n", 1002),
        "Content-Type: multipart/mixed; boundary=\"=?x\"\n\n" + many("--q\n\n", 1002),
        "Content-Type: multipart/mixed; boundary=\"=?a?q\"\n\n" + many("--q\n\n", 1002),
    ]

    @Test(arguments: passed)
    func passes(_ message: String) {
        for text in [message, message.replacing("\n", with: "\r\n")] {
            guard case .ok = Prescan.scan(Array(text.utf8), limits: ParseLimits()) else {
                Issue.record("refused: \(text.prefix(60))")
                continue
            }
        }
    }

    /// A file is scanned in pieces: where they begin and end must not matter.
    @Test(arguments: (refused.map(\.0) + passed).filter { $0.utf8.count < 40_000 }, [1, 2, 5, 1000])
    func piecesDoNotMatter(_ message: String, _ size: Int) {
        let bytes = Array(message.replacing("\n", with: "\r\n").utf8)
        var scanner = StructureScanner(limits: ParseLimits())
        for start in stride(from: 0, to: bytes.count, by: size) where scanner.wantsMore {
            bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { scanner.feed($0) }
        }
        func tell(_ verdict: PrescanVerdict) -> String {
            switch verdict {
            case .ok(let result): "ok \(result.headerOffset) \(result.header.fields) \(result.defects)"
            case .refused(let reason, let detail, let header, _): "\(reason) \(detail) \(header?.fields ?? [])"
            }
        }
        let whole = tell(Prescan.scan(bytes, limits: ParseLimits()))
        #expect(tell(scanner.verdict(messageBytes: Int64(bytes.count))) == whole)
    }

    /// Whatever is over a limit, sender and subject are told, also from behind it; the rest of the header is not kept.
    @Test(arguments: [
        many("a: b\n", 600), "To: " + many("g:", 3000) + "\n", "X: " + many("y", 300_000) + "\n",
        "X: " + many("y\n ", 200_000) + "z\n", many("X: " + many("y", 60_000) + "\n", 10),
    ])
    func refusedMessagesTellWhoseTheyAre(_ bomb: String) {
        let header = bomb + "From: a@b\nReply-To: c@d\nSubject: Q3\n report\nX-Last: e\n\nSubject: of the text\n"
        for text in [header, header.replacing("\n", with: "\r\n")] {
            guard case .refused(.tooComplex, _, let block?, _) = Prescan.scan(Array(text.utf8), limits: ParseLimits())
            else {
                Issue.record("passed: \(text.prefix(20))")
                continue
            }
            let found = block.fields.filter { ["from", "subject", "reply-to", "x-last"].contains($0.name) }
            #expect(found.map { String(decoding: $0.value, as: UTF8.self) } == ["a@b", "Q3 report"])
        }
    }

    /// A line that is too long is looked at no further than its beginning, and a header not for ever.
    @Test func whatIsLookedForBehindALimitHasALimit() {
        let limits = ParseLimits()
        func subject(_ text: String) -> Int? {
            guard case .refused(_, _, let block, _) = Prescan.scan(Array(text.utf8), limits: limits) else { return nil }
            return block?.fields.first { $0.name == "subject" }?.value.count
        }
        let bomb = Self.many("a: b\n", 600)
        #expect(subject(bomb + "Subject: " + Self.many("x", 300_000) + "\n\n") == 4096 - "Subject: ".utf8.count)
        #expect(subject(bomb + "X: " + Self.many("y\n ", 3_000_000) + "\nSubject: x\n\n") == nil)
    }

    @Test func largeMessagesAreRefusedWithTheirHeader() {
        var limits = ParseLimits()
        limits.maxMessageBytes = 20
        guard
            case .refused(.tooLarge, _, let header, _) = Prescan.scan(
                Array("Subject: x\n\nlonger than that".utf8), limits: limits)
        else {
            Issue.record("passed")
            return
        }
        #expect(header?.fields.map(\.name) == ["subject"])
        #expect(header?.fields.map(\.value) == [Array("x".utf8)])
    }

    private static func nested(_ depth: Int) -> String {
        (0..<depth).map { "Content-Type: multipart/mixed; boundary=\"b\($0)\"\n\n--b\($0)\n" }.joined() + "\nx\n"
    }
}
