import Testing

@testable import Ingest

@Suite struct FingerprintTests {
    private func fingerprint(_ text: String, chunk: Int = 1 << 20) -> ContentDigest {
        let bytes = Array(text.utf8)
        var digests = MessageDigests()
        for start in stride(from: 0, to: bytes.count, by: chunk) {
            bytes[start..<min(bytes.count, start + chunk)].withUnsafeBytes { digests.update($0) }
        }
        return digests.finalize().fingerprint
    }

    private static let message = "Message-ID: <1@x>\nFrom: ann@example.com\nSubject: [Fund1] Q3\n\nBody\n\nmore\n"

    @Test(arguments: [
        "Return-Path: <ann@example.com>\nReceived: from a\n\tby b\n" + message,
        "Delivered-To: x\nDELIVERED-TO: y\nX-Spam-Status: no\n" + message,
        "From ann Mon Jan  1 10:00:00 2026\n" + message + "\n",
        "\n" + message,
        message.replacing("\n", with: "\r\n"),
        message + "\n\n",
        String(message.dropLast()),
        message.replacing("Subject", with: "Authentication-Results: mx; dmarc=pass\nSubject"),
    ])
    func copiesOfOneMessageAreTheSame(_ copy: String) {
        #expect(fingerprint(copy) == fingerprint(Self.message))
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
            "\r\n\r\na: b\r\n\r\n",
        ] {
            #expect(fingerprint(text, chunk: chunk) == fingerprint(text))
        }
    }
}
