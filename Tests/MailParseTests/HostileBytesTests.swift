import Foundation
import TestSupport
import FundCore
import Testing

@testable import MailParse

/// Hostile bytes: nothing may trap, what is one line holds no control, no parameter a NUL, and names are safe.
@Suite struct HostileBytesTests {
    private struct Generator: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ (state >> 29)
        }
    }

    private static let seeds = [
        "From: \"Smith, John\" <j@x.example>, g: a@b, =?utf-8?Q?x,_y?= <c@d>;\r\n"
            + "Subject: =?gb2312?B?u/m98A==?= =?utf-8?Q?a=E5?=\r\n",
        "Content-Type: multipart/mixed; boundary=\"x\"; name*0*=utf-8''%E5%9F; name*1*=%BA\r\n\r\n"
            + "--x\r\n\r\nbegin 644 a\r\n#0V%T\r\n`\r\nend\r\n--x--\r\n",
        "Date: Fri, 20 Nov 2026 10:00:00 +0100 (CET)\r\nMessage-ID: <a@b>\r\nReferences: <c@d> <e@f>\r\n"
            + "Content-Disposition: attachment; filename=\"../a\\b.pdf\"\r\n",
        "Subject: \u{1B}$BF|K\\\u{1B}(B\r\n\r\nQUJD=QQ==",
    ].map { Array($0.utf8) }

    private static let tokens = [
        "=?", "?=", "?B?", "?q?", "\"", "\\", "<", ">", "(", ")", ":", ";", ",", "@", "*", "%00", "\r", "\n", "\0",
        "--x", "begin 644 ", "\u{1B}$B", "~{",
    ].map { Array($0.utf8) }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 32 || (127...159).contains(scalar.value)
    }

    /// Number of mutations, and the first state of their generator; `scripts/campaign/markup` sets many, and others.
    private static let rounds = ProcessInfo.processInfo.environment["FUNDMAIL_MAIL_ROUNDS"].flatMap(Int.init) ?? 5_000
    private static let seed =
        ProcessInfo.processInfo.environment["FUNDMAIL_MARKUP_SEED"].flatMap(UInt64.init) ?? 20_261_120

    @Test func mutatedMailNeverTraps() {
        var generator = Generator(state: Self.seed)
        let charsets = CharsetDecoder()
        let names = [
            "utf-8", "gbk", "big5", "shift_jis", "iso-2022-jp", "iso-2022-kr", "utf-7", "utf-16", "euc-jp",
            "hz-gb-2312", "nope",
        ]
        for round in 0..<Self.rounds {
            var bytes = Self.seeds[round % Self.seeds.count]
            for _ in 0..<Int.random(in: 1...8, using: &generator) {
                let at = Int.random(in: 0...bytes.count, using: &generator)
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: at)
                case 1: bytes.insert(contentsOf: Self.tokens.randomElement(using: &generator) ?? [], at: at)
                case 2: bytes.removeSubrange(at..<min(bytes.count, at + 5))
                default: if at < bytes.count { bytes[at] = UInt8.random(in: 0...255, using: &generator) }
                }
            }
            let value = Array(bytes.dropFirst(min(bytes.count, 9)))
            let header = MessageHeaderReader(charsets: charsets).read(HeaderBlock(bytes)).header
            let name = names[round % names.count]
            _ = charsets.decode(bytes, charset: name)
            let subject = EncodedText.unstructured(value, charsets: charsets, messageCharset: name).text
            let lines = [subject, AddressListParser.parse(value, charsets: charsets).field.text] + header.subjects
            #expect(lines.allSatisfy { !$0.unicodeScalars.contains(where: Self.isControl) }, "\(lines)")
            let parameters = MIMEField(value, charsets: charsets).parameters.values
            #expect(parameters.allSatisfy { !$0.utf8.contains(0) }, "\(parameters)")
            let made = DisplayName.make(sentName: subject, contentType: "a/b", fallbackStem: "part-1").name
            #expect(!made.isEmpty && made.utf8.count <= 200 && !made.utf8.contains { $0 < 32 || $0 == 47 || $0 == 92 })
            _ = Prescan.scan(bytes, limits: ParseLimits())
            var (decoder, output): (Base64Decoder, [UInt8]) = (Base64Decoder(), [])
            bytes.withUnsafeBytes { decoder.decode($0, into: &output) }
            decoder.finish(into: &output)
            #expect(output.count <= bytes.count)
            var scanner = EmbeddedFileScanner()
            bytes.withUnsafeBytes { scanner.feed($0) { _ in } }
            scanner.finish { _ in }
        }
    }
}
