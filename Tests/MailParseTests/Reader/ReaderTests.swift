import TestSupport
import Foundation
import FundCore
import Testing

@testable import MailParse

/// Results for messages of every shape, through real children; each with LF and with CRLF.
@Suite(.startsPrograms) struct ReaderTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var mail: String
        var files: [String] = []
        var text: String?
        var html: String?
        var defects: [Defect] = []
    }

    private static let shapes = [
        Shape(testDescription: "one text", mail: "Subject: x\n\nhello\n", text: "hello\n"),
        Shape(
            testDescription: "one file",
            mail: "Content-Type: application/pdf; name=a.pdf\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n",
            files: ["1 a.pdf application/pdf hello"]),
        Shape(
            testDescription: "alternative, related and mixed",
            mail: """
                Content-Type: multipart/mixed; boundary=m

                --m
                Content-Type: multipart/related; boundary=r

                --r
                Content-Type: multipart/alternative; boundary=a

                --a
                Content-Type: text/plain

                hello
                --a
                Content-Type: text/html

                <img src="cid:im%40ge">
                --a--
                --r
                Content-Type: image/png; name=i.png
                Content-ID: <im@ge>

                png
                --r--
                --m
                Content-Type: text/plain
                Content-Disposition: attachment; filename=n.txt

                note
                --m
                Content-Type: text/plain

                footer
                --m--

                """,
            files: ["1.2 i.png image/png inline png", "2 n.txt text/plain note", "3 - text/plain footer"],
            text: "hello", html: "<img src=\"cid:im%40ge\">"),
        Shape(
            testDescription: "base64 with = in the middle",
            mail: "Content-Type: image/gif\nContent-Transfer-Encoding: base64\n\naGVsbA==\nbyB3b3JsZA==\n",
            files: ["1 - image/gif hello world"], defects: [.base64StrayPadding]),
        Shape(
            testDescription: "quoted-printable",
            mail: "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n"
                + "Gr=C3=BC=\n=C3=9Fe\n",
            text: "Grüße\n"),
        Shape(
            testDescription: "message in message",
            mail: """
                Content-Type: multipart/mixed; boundary=o

                --o
                Content-Type: text/plain

                see below
                --o
                Content-Type: message/rfc822

                Subject: inner
                Content-Type: multipart/mixed; boundary=i

                --i

                inner text
                --i
                Content-Type: application/pdf; name=in.pdf

                pdf
                --i--

                --o--

                """,
            files: [
                "2 - message/rfc822 inner.eml Subject: inner\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\n"
                    + "inner text\n--i\nContent-Type: application/pdf; name=in.pdf\n\npdf\n--i--\n",
                "2.2 in.pdf application/pdf pdf",
            ], text: "see below"),
        Shape(
            testDescription: "message in base64",
            mail: "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: message/rfc822\n"
                + "Content-Transfer-Encoding: base64\n\n"
                + Data("Subject: i\nContent-Type: application/pdf; name=d.pdf\n\npdf".utf8).base64EncodedString()
                + "\n--o\nContent-Type: image/png\n\nlast\n--o--\n",
            files: [
                "1 - message/rfc822 Subject: i\nContent-Type: application/pdf; name=d.pdf\n\npdf",
                "1.1 d.pdf application/pdf pdf", "2 - image/png last",
            ]),
        Shape(
            testDescription: "digest",
            mail:
                "Content-Type: multipart/digest; boundary=d\n\n--d\n\nSubject: one\n\n1\n"
                + "--d\n\nSubject: two\n\n2\n--d--\n",
            files: ["1 - message/rfc822 one.eml Subject: one\n\n1", "2 - message/rfc822 two.eml Subject: two\n\n2"]),
        Shape(
            testDescription: "uuencode in text",
            mail: "Subject: x\n\nhere\nbegin 644 a.txt\n%:&5L;&\\\n`\nend\nthere\n",
            files: ["1.1 a.txt application/octet-stream hello"], text: "here\nthere\n"),
        Shape(
            testDescription: "multipart in base64 and no part in it",
            mail: "Content-Type: multipart/mixed; boundary=b\nContent-Transfer-Encoding: base64\n\naGVsbG8=\n",
            files: ["1 - application/octet-stream hello"], defects: [.missingFinalBoundary, .encodedMultipart]),
        Shape(
            testDescription: "no final boundary",
            mail: "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b\nContent-Type: image/png\n\nend\n",
            files: ["2 - image/png end\n"], text: "text", defects: [.missingFinalBoundary]),
        Shape(
            testDescription: "encrypted",
            mail:
                "Content-Type: multipart/encrypted; boundary=b\n\n--b\nContent-Type: application/pgp-encrypted\n\nv1\n"
                + "--b\nContent-Type: application/octet-stream\n\nxx\n--b--\n",
            files: ["1 - application/pgp-encrypted v1", "2 - application/octet-stream xx"], defects: [.encryptedContent]
        ),
        Shape(
            testDescription: "partial",
            mail: "Content-Type: message/partial; id=a; number=1; total=2\n\nSubject: x\n\nhalf\n",
            files: ["1 - message/partial Subject: x\n\nhalf\n"], defects: [.partialMessage]),
        Shape(
            testDescription: "two types and two dispositions",
            mail: "Content-Type: text/plain\nContent-Type: image/png\nContent-Disposition: inline; filename=a\n"
                + "Content-Disposition: attachment; filename=b.png\n\nx",
            files: ["1 b.png image/png x"], defects: [.duplicateContentType, .duplicateContentDisposition]),
        Shape(
            testDescription: "part behind the end",
            mail: "Content-Type: multipart/mixed; boundary=b\n\n--b\n\ntext\n--b--\nContent-Type: image/png\n\nx\n",
            text: "text", defects: [.contentOutsideParts]),
        Shape(
            testDescription: "blank text before the text",
            mail: "Content-Type: multipart/mixed; boundary=b\n\n--b\n\n \n--b\n\ntext\n--b--\n", text: "text"),
    ]

    @Test(arguments: shapes, [false, true])
    func shape(_ shape: Shape, isCRLF: Bool) async throws {
        let mail = isCRLF ? shape.mail.replacingOccurrences(of: "\n", with: "\r\n") : shape.mail
        let parsed = try await PoolHarness().parse(mail)
        let message = try #require(parsed.message, "\(parsed.result)")
        let files = zip(message.attachments, parsed.files).map { attachment, bytes in
            let subject =
                attachment.displayName.hasPrefix("part") || attachment.sentName != nil
                ? "" : attachment.displayName + " "
            let content = String(decoding: bytes, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
            return "\(attachment.partPath) \(attachment.sentName ?? "-") \(attachment.contentType) "
                + "\(attachment.isInline ? "inline " : "")\(subject)\(content)"
        }
        #expect(files == shape.files)
        #expect(message.text == shape.text)
        #expect(message.html == shape.html)
        #expect(message.defects == shape.defects)
        for (attachment, bytes) in zip(message.attachments, parsed.files) {
            #expect(attachment.digest == ContentDigest.of(bytes))
            #expect(attachment.size == Int64(bytes.count))
        }
    }

    /// A picture that the HTML shows: a named one of 50,000 bytes is a photo, and a file; a smaller or nameless one is
    /// part of the mail.
    @Test(arguments: [
        ("; name=IMG_1.jpg", 50_000, false), ("; name=logo.jpg", 49_999, true), ("", 60_000, true),
    ])
    func photosThatAreShownAreFiles(_ name: String, _ count: Int, _ isInline: Bool) async throws {
        let picture = Data(repeating: 7, count: count).base64EncodedString(options: .lineLength76Characters)
        let mail =
            "Content-Type: multipart/related; boundary=r\n\n--r\nContent-Type: text/html\n\n<img src=\"cid:a@b\">\n"
            + "--r\nContent-Type: image/jpeg\(name)\nContent-ID: <a@b>\nContent-Transfer-Encoding: base64\n\n"
            + picture + "\n--r--\n"
        let message = try await PoolHarness().parse(mail).message
        #expect(message?.attachments.map(\.isInline) == [isInline])
    }

    /// Which text is the body, whatever its name.
    @Test(
        arguments: [
            // the root that `start` names
            (
                "multipart/related; boundary=b; start=\"<root>\"",
                [
                    "image/png; name=a.png",
                    "text/html; name=b.htm\nContent-Disposition: inline; filename=b.htm\nContent-ID: <root>",
                ],
                "2", ["1 a.png image/png"]
            ),
            // the forms of an alternative
            (
                "multipart/alternative; boundary=b",
                ["text/plain; name=a.txt\nContent-Disposition: inline; filename=a.txt", "text/html; name=b.htm"], "12",
                []
            ),
            // of two named texts none is the body, and one that asks to be a file never is
            (
                "multipart/mixed; boundary=b",
                [
                    "text/plain\nContent-Disposition: inline; filename=a.txt",
                    "text/plain\nContent-Disposition: inline; filename=b.txt",
                ],
                "", ["1 a.txt text/plain", "2 b.txt text/plain"]
            ),
            (
                "multipart/mixed; boundary=b",
                [
                    "text/plain\nContent-Disposition: attachment; filename=a.txt",
                    "text/html\nContent-Disposition: inline; filename=b.htm",
                ],
                "2", ["1 a.txt text/plain", "2 b.htm text/html"]
            ),
            (
                "multipart/related; boundary=b", ["text/html\nContent-Disposition: attachment; filename=a.htm"], "",
                ["1 a.htm text/html"]
            ),
        ] as [(String, [String], String, [String])])
    func namedTextsThatAreBodies(_ type: String, _ parts: [String], _ bodies: String, _ files: [String]) async throws {
        let content = parts.enumerated().map { "--b\nContent-Type: \($1)\n\n\($0 + 1)\n" }.joined() + "--b--\n"
        let parsed = try await PoolHarness().parse("Content-Type: \(type)\n\n" + content)
        #expect(parsed.list == files)
        #expect((parsed.message?.text ?? "") + (parsed.message?.html ?? "") == bodies)
    }

    /// Signed content counts like any other: its depth and parts have the same limits, and what only looks like a
    /// header costs nothing.
    @Test func signedContentHasTheSameLimits() async throws {
        func wrapped(_ content: String, name: String = "smime.p7m") -> String {
            "Content-Type: application/pkcs7-mime; name=\(name)\nContent-Transfer-Encoding: base64\n\n"
                + Data(CMSBuilder(form: .pieces).signed(Array(content.utf8))).base64EncodedString() + "\n"
        }
        var deep = "Content-Type: text/plain\n\ninnermost\n"
        for _ in 0..<4 { deep = wrapped(deep) }
        let parsed = try await PoolHarness().parse(deep)
        #expect(parsed.message?.text == "innermost\n")
        #expect(parsed.message?.attachments.map(\.partPath) == ["1", "1.1", "1.1.1", "1.1.1.1"])
        var limits = ParseLimits()
        limits.maxDepth = 3
        #expect(try await PoolHarness().parse(deep, limits).refusal?.reason == .tooComplex)
        limits = ParseLimits()
        limits.maxParts = 3
        let parts =
            "Content-Type: multipart/mixed; boundary=b\n\n"
            + String(repeating: "--b\nContent-Type: image/png\n\nx\n", count: 4) + "--b--\n"
        #expect(try await PoolHarness().parse(wrapped(parts), limits).refusal?.reason == .tooComplex)
        // Text without a header, and bytes that are no mail.
        #expect(try await PoolHarness().parse(wrapped("\r\nonly text\r\n")).message?.text == "only text\n")
        func attached(_ content: String, name: String) -> String {
            "Content-Type: multipart/mixed; boundary=o\n\n--o\n" + wrapped(content, name: name) + "--o--\n"
        }
        let lines = String(repeating: "NOTE: x\n", count: 1000)
        for content in [lines, "\n" + lines, ""] {
            let parsed = try await PoolHarness().parse(attached(content, name: "list.csv.p7m"))
            let document = content.isEmpty ? [] : ["1.1 list.csv text/csv"]
            #expect(parsed.list == ["1 list.csv.p7m application/pkcs7-mime"] + document)
            #expect(parsed.message?.text == nil)
        }
        // A signed letter beside a text is a message of its own.
        let texts = parts.replacing("image/png", with: "text/plain")
        let letter = try await PoolHarness().parse(attached(texts, name: "letter.eml.p7m"))
        #expect(letter.message?.text == nil)
        #expect(letter.list.first == "1 letter.eml.p7m application/pkcs7-mime")
        #expect(try await PoolHarness().parse(attached(texts, name: "smime.p7m")).message?.text == "x")
    }

    /// A signed document is filed, and what is signed again in it, within the limits of nested parts.
    @Test func signedDocumentsHaveTheSameLimits() async throws {
        let suffix = ".p7m"
        var document = Array("x,y".utf8)
        for _ in 0..<3 { document = CMSBuilder(form: .pieces).signed(document) }
        let mail =
            "Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: application/octet-stream; "
            + "name=list.csv\(suffix)\(suffix)\(suffix)\nContent-Transfer-Encoding: base64\n\n"
            + Data(document).base64EncodedString() + "\n--o--\n"
        let parsed = try await PoolHarness().parse(mail)
        #expect(parsed.message?.attachments.map(\.partPath) == ["1", "1.1", "1.1.1", "1.1.1.1"])
        #expect(parsed.message?.attachments.last?.displayName == "list.csv")
        #expect(parsed.files.last == Array("x,y".utf8))
        var limits = ParseLimits()
        limits.maxDepth = 3
        #expect(try await PoolHarness().parse(mail, limits).refusal?.reason == .tooComplex)
        limits = ParseLimits()
        limits.maxParts = 3
        #expect(try await PoolHarness().parse(mail, limits).refusal?.reason == .tooComplex)
    }

    @Test func aLongBodyIsCutAndFiledWhole() async throws {
        let body = String(repeating: "0123456789abcde\n", count: 100_000)
        let parsed = try await PoolHarness().parse("Subject: x\n\n" + body)
        #expect(parsed.message?.text?.utf8.count == Wire.maxBodyBytes)
        let isSame = parsed.files == [Array(body.utf8)]
        #expect(isSame)
        #expect(parsed.message?.defects == [.bodyTruncated])
    }

    /// Above 1 MiB a message and its pack are read from their files.
    @Test func aLargeMessageIsReadInPieces() async throws {
        let bytes = randomBytes(3_000_000, seed: 1)
        let inner =
            "Subject: i\nContent-Type: image/png; name=i.png\nContent-Transfer-Encoding: base64\n\n"
            + Data(bytes).base64EncodedString(options: .lineLength76Characters)
        let mail = "Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: message/rfc822\n\n\(inner)\n--b--\n"
        let parsed = try await PoolHarness().parse(mail)
        #expect(parsed.list == ["1 - message/rfc822", "1.1 i.png image/png"])
        // Not compared in one expression: a failure would print megabytes.
        let isSame = parsed.files == [Array(inner.utf8), bytes]
        #expect(isSame)
    }

    @Test func aLargeEncodedMessageIsUnpackedToo() async throws {
        let bytes = randomBytes(2_000_000, seed: 2)
        let inner =
            "Subject: i\nContent-Type: image/png; name=i.png\nContent-Transfer-Encoding: base64\n\n"
            + Data(bytes).base64EncodedString(options: .lineLength76Characters)
        let mail =
            "Content-Type: message/rfc822; name=i.eml\nContent-Transfer-Encoding: base64\n\n"
            + Data(inner.utf8).base64EncodedString(options: .lineLength76Characters)
        let parsed = try await PoolHarness().parse(mail)
        #expect(parsed.list == ["1 i.eml message/rfc822", "1.1 i.png image/png"])
        let isSame = parsed.files == [Array(inner.utf8), bytes]
        #expect(isSame)
    }

    /// The attack on GMime's recursive group parser: refused by the scan, in the same child. Without the scan
    /// it would cost that child, and no more.
    @Test func nestedGroupsCostOneMessage() async throws {
        let groups = "To: " + String(repeating: "g:", count: 500_000) + "\n\nx\n"
        let nested = "Content-Type: message/rfc822\n\n" + groups
        let scanned = try PoolHarness()
        _ = try await scanned.parse(PoolTests.good)
        let pid = await scanned.pool.childIdentifiers()
        for mail in [groups, nested] {
            #expect(try await scanned.parse(mail).refusal?.reason == .tooComplex)
        }
        #expect(await scanned.pool.childIdentifiers() == pid)
        #expect(scanned.pool.restartCount == 0)

        let unscanned = try PoolHarness(debug: .noPrescan)
        let crashed = try await unscanned.parse(nested)
        #expect(crashed.refusal?.detail.hasPrefix("the parser crashed: Segmentation fault") == true)
        #expect(try await unscanned.parse(PoolTests.good).message != nil)
        #expect(unscanned.pool.restartCount == 1)
    }

    @Test func partsAndDepthAreCounted() async throws {
        var limits = ParseLimits()
        limits.maxParts = 3
        let parts = String(repeating: "--b\nContent-Type: image/png\n\nx\n", count: 4)
        let wide = "Content-Type: multipart/mixed; boundary=b\n\n" + parts + "--b--\n"
        #expect(try await PoolHarness().parse(wide, limits).refusal?.reason == .tooComplex)
        // Each level hides the next from the scan.
        var deep = "Content-Type: image/png\n\nx\n"
        for _ in 0..<5 {
            deep =
                "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"
                + Data(deep.utf8).base64EncodedString() + "\n"
        }
        #expect(try await PoolHarness().parse(deep).message?.attachments.count == 6)
        limits = ParseLimits()
        limits.maxDepth = 4
        #expect(try await PoolHarness().parse(deep, limits).refusal?.reason == .tooComplex)
    }
}
