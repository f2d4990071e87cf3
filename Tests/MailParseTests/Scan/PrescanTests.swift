import Ingest
import Testing

@testable import MailParse

@Suite struct PrescanTests {
    private static let multipart = "From: a@b\nContent-Type: multipart/mixed; boundary=x\n\n"

    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let refused: [(String, Reason)] = [
        ("", .unparseable), ("\n\n", .unparseable), ("no field here\nSubject: x\n\n", .unparseable),
        ("To: " + many("g:", 300) + "\n\n", .tooComplex),
        (many("a: b\n", 501) + "\n", .tooComplex),
        ("Subject: " + many("x", 70_000) + "\n\n", .tooComplex),
        (multipart + many("--x\n\n\n", 1001), .tooComplex),
        (multipart + "--x\n" + many("a: b\n", 501), .tooComplex),
        (multipart + "--x\nContent-Type: message/rfc822\n\nTo: " + many("g:", 300), .tooComplex),
        ("Content-Type: multipart/mixed; boundary*=x\n\n" + many("--q\n\n", 1002), .tooComplex),
        ("Content-Type: multipart/mixed; boundary=" + many("b", 3000) + "\n\n", .tooComplex),
        (nested(31), .tooComplex),
    ]

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
        #expect(HeaderBlock(result.headerBytes).fields.map(\.name) == ["subject"])
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
        multipart + many("--x\n\nbody\n", 1000) + "--x--\n" + many("a: b\n", 600),
        nested(29), "Subject: x\n\n" + many("a: b\n", 600),
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
            case .ok(let result): "ok \(result.headerOffset) \(result.headerBytes) \(result.defects)"
            case .refused(let reason, let detail, let header, _): "\(reason) \(detail) \(header.count)"
            }
        }
        let whole = tell(Prescan.scan(bytes, limits: ParseLimits()))
        #expect(tell(scanner.verdict(messageBytes: Int64(bytes.count))) == whole)
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
        #expect(header == Array("Subject: x\n".utf8))
    }

    private static func nested(_ depth: Int) -> String {
        (0..<depth).map { "Content-Type: multipart/mixed; boundary=\"b\($0)\"\n\n--b\($0)\n" }.joined() + "\nx\n"
    }
}
