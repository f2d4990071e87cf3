import TestSupport
import Testing

@testable import FundCore

@Suite struct FingerprintTests {
    /// A key like that of a store.
    private let key = FingerprintKey(bytes: [UInt8](0..<32))

    private func fingerprint(_ text: String, chunk: Int = 1 << 20) -> ContentDigest {
        digests(text, chunk: chunk).fingerprint
    }

    private func digests(
        _ text: String, chunk: Int
    ) -> (digest: ContentDigest, fingerprint: ContentDigest) {
        let bytes = Array(text.utf8)
        var digests = MessageDigests(key: key)
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            bytes[start..<min(bytes.count, start + chunk)].withUnsafeBytes { digests.update($0) }
        }
        return digests.finalize()
    }

    /// Without a Message-ID all that its author wrote counts; see `MessageIdentityTests`.
    private static let message = "In-Reply-To: <1@x>\nFrom: ann@example.com\nSubject: [Fund1] Q3\n\nBody\n\nmore\n"

    @Test(arguments: [
        "Return-Path: <ann@example.com>\nReceived: from a\n\tby b\n" + message,
        "Delivered-To: x\nDELIVERED-TO: y\nX-Spam-Status: no\n" + message,
        "From ann Mon Jan  1 10:00:00 2026\n" + message + "\n",
        "\n" + message,
        message.replacing("\n", with: "\r\n"),
        message + "\n\n",
        String(message.dropLast()),
        message.replacing("Subject", with: "Authentication-Results: mx; dmarc=pass\nSubject"),
        message.replacing("Subject", with: "X-TUID: 8sJ0vRk2pQ1x\nSubject"),
    ])
    func copiesOfOneMessageAreTheSame(_ copy: String) {
        #expect(fingerprint(copy) == fingerprint(Self.message))
    }

    @Test(arguments: [
        "X-TUID", "x-tuid", "X-OfflineIMAP", "X-Offlineimap-Tag", "X-Getmail-Retrieved-From-Mailbox",
        "X-getmail-filter-classifier", "X-Mozilla-Status3", "X-Evolution-Source", "X-Evolution-POP3-UID",
        "X-Account-Key", "X-KMail-Filtered", "X-MailStore-Message-ID", "X-Gmail-Fetch-Info", "X-Spam-Bar",
        "X-Spamd-Result", "X-Rspamd-Queue-Id", "X-DSPAM-Result", "X-Sieve", "X-MS-Exchange-Organization-SCL",
        "X-MS-Exchange-CrossTenant-AuthAs", "X-Microsoft-Antispam", "Authentication-Results-Original",
    ])
    func whatProgramsAddToTheirCopyIsLeftOut(_ name: String) {
        let copy = Self.message.replacing("From:", with: "\(name): one\n two\nFrom:")
        #expect(fingerprint(copy) == fingerprint(Self.message))
    }

    /// Fields that a sender or a mailing list writes stay in, however technical their names are.
    @Test(arguments: [
        "X-Mailer", "X-Priority", "X-MS-Has-Attach", "X-MS-TNEF-Correlator", "X-Label", "X-Mozilla-Draft-Info",
        "X-TUID2", "XX-TUID", "X-Spam", "List-Id", "DKIM-Signature", "Reply-To", "X-Gm-Message-State",
        "X-Google-DKIM-Signature", "X-Report-Number", "Keywords",
    ])
    func whatTheAuthorWritesStaysIn(_ name: String) {
        let other = Self.message.replacing("From:", with: "\(name): one\nFrom:")
        #expect(fingerprint(other) != fingerprint(Self.message))
    }

    /// Blanks may stand before the colon (RFC 5322 §4.5): who sent it counts, also at the very beginning.
    @Test func aSenderInTheFirstLineIsNoMailboxLine() {
        let text = "From : ann@example.com\nSubject: s\n\nBody\n"
        #expect(fingerprint(text) != fingerprint(text.replacing("ann", with: "bob")))
        let other = text.replacing("From :", with: "From \t:").replacing("ann", with: "bob")
        #expect(fingerprint(text) != fingerprint(other))
    }

    /// Behind a line that is no field the author's text begins, also where the empty line is missing.
    @Test func aBodyWithoutAnEmptyLineIsTheAuthors() {
        func order(_ name: String) -> String {
            "Received: x\nFrom: a@b\nSubject: s\nOrder list of the day\nStatus: pay \(name)\n"
        }
        #expect(fingerprint(order("A")) != fingerprint(order("B")))
        #expect(fingerprint(order("A")) == fingerprint(order("A").replacing("Received: x", with: "Received: y")))
    }

    @Test(arguments: [
        message.replacing("Q3", with: "Q4"), message.replacing("ann@", with: "ben@"),
        message.replacing("1@x", with: "2@x"),
        message.replacing("Body\n\nmore", with: "Body\nmore"), message.replacing("Body", with: "body"),
        message + "x", "X-Other: 1\n" + message, message.replacing("\n\nBody", with: "\nReceived: x\n more\n\nBod"),
        message.replacing("Subject", with: "Status quo\nSubject"),
        message.replacing("Subject", with: "Received\nSubject"),
        // a trace field's continuation does not swallow the next field
        message.replacing("Subject:", with: "Received: x\nSubject: other\nSubject:"),
    ])
    func otherMessagesDiffer(_ other: String) {
        #expect(fingerprint(other) != fingerprint(Self.message))
    }

    @Test(arguments: [1, 2, 3, 7, 16])
    func chunksDoNotMatter(_ chunk: Int) {
        for text in [
            Self.message, Self.message.replacing("\n", with: "\r\n"), "no header", "a: b\r\n\r\n\r\nx\ry\r",
            "\r\n\r\na: b\r\n\r\n", "X-TUID: 1\n" + Self.message,
        ] {
            #expect(fingerprint(text, chunk: chunk) == fingerprint(text))
        }
    }

    /// In one piece or in many, with line ends of any kind: what is hashed is the text, written out here once more.
    @Test
    func itIsTheHashOfTheNormalisedText() {
        var random = SeededGenerator(seed: 1)
        let pieces = ["a", "b: c", "\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r\n"]
        // Two are longer than what is hashed at once. They take most of the time: each tenth text has some.
        let long = String(repeating: "x", count: 40_000)
        for round in 0..<150 {
            let count = Int.random(in: 0...12, using: &random)
            let choice = round % 10 == 0 ? pieces + [long, long] : pieces
            let text = (0..<count).map { _ in choice.randomElement(using: &random) ?? "" }.joined()
            var digests = MessageDigests(key: nil)
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let chunk = [1, 2, 5, 1000, 70_000, .max].randomElement(using: &random) ?? 1
                rest.prefix(chunk).withUnsafeBytes { digests.update($0) }
                rest = rest.dropFirst(chunk)
            }
            let expected = ContentDigest.of(Self.normalised(Array(text.utf8)))
            #expect(digests.finalize().fingerprint == expected, "\(text.debugDescription)")
            let chunk = [1, 3, 1000, 70_000].randomElement(using: &random) ?? 1
            #expect(fingerprint(text, chunk: chunk) == fingerprint(text), "\(text.debugDescription), \(chunk)")
        }
    }

    /// Without trace fields, which the text has none of.
    private static func normalised(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() where !(byte == .cr && bytes[(index + 1)...].first == .lf) {
            text.append(byte)
        }
        text = Array(text.drop { $0 == .lf })
        let end = text.indices.first { text[$0...].starts(with: [.lf, .lf]) }
        let header = text[..<(end ?? text.count)].split(separator: .lf).flatMap { $0 + [.lf] } + [.lf]
        var body = end.map { Array(text[($0 + 2)...]) } ?? []
        while body.last == .lf { body.removeLast() }
        return header + body
    }
}
