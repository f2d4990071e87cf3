import TestSupport
import Foundation
import FundCore
import Testing

@testable import MailParse

@Suite(.startsPrograms) struct TNEFTests {
    private static let longName = TNEFBuilder.unicode(0x3707, "Quarterly report 二.pdf")

    private static func sample() -> TNEFBuilder {
        var stream = TNEFBuilder()
        stream.attribute(level: 1, 0x0006_9007, TNEFBuilder.u32(1252) + TNEFBuilder.u32(0))
        stream.attribute(
            level: 1, 0x0006_9003,
            TNEFBuilder.list([
                TNEFBuilder.named("x-thing"), TNEFBuilder.integer(0x3FDE, 65001),
                TNEFBuilder.value(0x0102, 0x1013, Array("<p>Grüße</p>".utf8)),
            ]))
        stream.attachment(
            title: "QUARTE~1.PDF", data: Array("%PDF-1".utf8),
            [TNEFBuilder.named("y"), longName, TNEFBuilder.unicode(0x370E, "application/pdf")])
        stream.attachment(title: "plain.txt", data: Array("hello".utf8))
        return stream
    }

    private static func mail(_ stream: [UInt8]) -> String {
        """
        Subject: [Fund1] x
        MIME-Version: 1.0
        Content-Type: multipart/mixed; boundary=b

        --b
        Content-Type: text/plain

        body
        --b
        Content-Type: application/ms-tnef; name="winmail.dat"
        Content-Transfer-Encoding: base64

        \(Data(stream).base64EncodedString(options: .lineLength64Characters))
        --b--

        """
    }

    @Test func attachmentsTakeThePlaceOfWinmail() async throws {
        let parsed = try await PoolHarness().parse(Self.mail(Self.sample().bytes))
        #expect(
            parsed.list == [
                "2.1 Quarterly report 二.pdf application/pdf", "2.2 plain.txt application/octet-stream",
            ])
        #expect(parsed.files == [Array("%PDF-1".utf8), Array("hello".utf8)])
        #expect(parsed.message?.html == "<p>Grüße</p>")
        #expect(parsed.message?.text?.hasPrefix("body") == true)
        #expect(parsed.message?.defects == [])
    }

    @Test func aBodyTooLongToShowIsAFileToo() async throws {
        let html = Array(String(repeating: "<p>long</p>\n", count: 100_000).utf8)
        var stream = TNEFBuilder()
        stream.attribute(level: 1, 0x0006_9003, TNEFBuilder.list([TNEFBuilder.value(0x0102, 0x1013, html)]))
        let parsed = try await PoolHarness().parse(Self.mail(stream.bytes))
        #expect(parsed.list == ["2 message.html text/html"])
        #expect(parsed.files.map(\.count) == [html.count])
        #expect(parsed.message?.html?.utf8.count == Wire.maxBodyBytes)
        #expect(parsed.message?.defects == [.bodyTruncated])
    }

    @Test func aMessageInsideIsUnpacked() async throws {
        var outer = TNEFBuilder()
        let object = [UInt8](repeating: 9, count: 16) + Self.sample().bytes
        outer.attachment(
            title: "Fwd", data: [], [TNEFBuilder.value(0x000D, 0x3701, object)])
        let parsed = try await PoolHarness().parse(Self.mail(outer.bytes))
        #expect(
            parsed.list == [
                "2.1 Fwd.html text/html", "2.1.1 Quarterly report 二.pdf application/pdf",
                "2.1.2 plain.txt application/octet-stream",
            ])
    }

    /// A part that cannot be read to its end is filed too, as it came.
    @Test(arguments: [1, 7, 60, 200])
    func aCutStreamIsKept(missing: Int) async throws {
        let bytes = Array(Self.sample().bytes.dropLast(missing))
        let parsed = try await PoolHarness().parse(Self.mail(bytes))
        #expect(parsed.list.last?.hasPrefix("2 winmail.dat") == true)
        #expect(parsed.files.last == bytes)
        #expect(parsed.message?.defects.contains(.malformedTNEF) == true)
    }

    /// No byte makes the reader trap.
    @Test func changedBytesAreHarmless() {
        let bytes = Self.sample().bytes
        for index in bytes.indices {
            for value: UInt8 in [0, 0x7F, 0xFF] {
                var changed = bytes
                changed[index] = value
                var reader = TNEFReader(changed, 0..<changed.count, charsets: CharsetDecoder())
                _ = reader.read()
            }
        }
    }

    /// The examples of MS-OXRTFCP §3.1.
    @Test func compressedRTF() {
        #expect(CompressedRTF.dictionaryStart.count == 207)
        let hello: [UInt8] = [
            0x2D, 0, 0, 0, 0x2B, 0, 0, 0, 0x4C, 0x5A, 0x46, 0x75, 0xF1, 0xC5, 0xC7, 0xA7, 0x03, 0x00, 0x0A, 0x00, 0x72,
            0x63,
            0x70, 0x67, 0x31, 0x32, 0x35, 0x42, 0x32, 0x0A, 0xF3, 0x20, 0x68, 0x65, 0x6C, 0x09, 0x00, 0x20, 0x62, 0x77,
            0x05, 0xB0, 0x6C, 0x64, 0x7D, 0x0A, 0x80, 0x0F, 0xA0,
        ]
        let unpacked = CompressedRTF.unpack(ByteCursor(hello, 0..<hello.count))
        #expect(
            unpacked.map { String(decoding: $0, as: UTF8.self) } == "{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n")
        #expect(CompressedRTF.unpack(ByteCursor(hello, 0..<(hello.count - 3))) == nil)
    }
}
