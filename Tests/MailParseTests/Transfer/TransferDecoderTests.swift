import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct TransferDecoderTests {
    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test(
        arguments: [
            ("QUJD\r\nREVG", "ABCDEF", []), ("QUI=", "AB", []), ("QQ==QUJD", "AABC", [.base64StrayPadding]),
            ("QU!JD", "ABC", [.base64InvalidCharacters]), ("QUJDRA", "ABCD", [.base64Truncated]), ("", "", []),
            // an unfinished group: three characters are two bytes, two are one, and one is none
            ("QUJDREV", "ABCDE", [.base64Truncated]), ("QUJDRF", "ABCD", [.base64Truncated]),
            ("QUJDR", "ABC", [.base64Truncated]), ("QUJDRUY", "ABCEF", [.base64Truncated]),
            // text behind the data, with padding in front of it or an empty line
            ("QUI=\r\nbest regards\r\n", "AB", [.base64TrailingText]),
            ("QUI=\n-- \nfooter\n", "AB", [.base64TrailingText]),
            ("QUI=\n\nWord\n_____\nQUJD\n", "AB", [.base64TrailingText]),
            ("QUI=\nfooter1\n", "AB", [.base64TrailingText]),
            ("QUJD\r\n\r\nThis list is run by us.\r\n", "ABC", [.base64TrailingText]),
            ("QUI=\n \n\t\n", "AB", []), ("QUI==\n=\n", "AB", []),
            // data behind the data
            ("QUI=\nQUI=\nQQ==\n", "ABABA", [.base64StrayPadding]), ("QUJD\n\nREVG\n", "ABCDEF", []),
            ("QUI=\nQUI=\nend of it\n", "ABAB", [.base64StrayPadding, .base64TrailingText]),
            (
                "QQ==" + repeated("QUJD", 12) + "RE\n", "A" + repeated("ABC", 12) + "D",
                [.base64StrayPadding, .base64Truncated]
            ),
            ("QQ==\n" + repeated("QUJD\n", 70), "A" + repeated("ABC", 70), [.base64StrayPadding]),
            ("\n\nQUJD\n", "ABC", []),
            // damage behind a mere empty line: more data show that it is none of a text
            (
                "QUJD\n\nRE!VG\n" + repeated("QUJD", 10) + "\n", "ABCDEF" + repeated("ABC", 10),
                [.base64InvalidCharacters]
            ),
            ("QUJD\n\n" + repeated("QUJD ", 50) + "\n", "ABC", [.base64TrailingText]),
            (
                "QUJD\n\n" + repeated("a word. ", 50) + "\n" + repeated("QUJD", 10) + "\n", "ABC",
                [.base64TrailingText]
            ),
            ("QUJD\n\nREVGR0\n", "ABCDEFG", [.base64Truncated]),
        ] as [(String, String, Set<Defect>)])
    func base64(_ text: String, _ expected: String, _ defects: Set<Defect>) {
        for step in 1...5 {
            var decoder = Base64Decoder()
            #expect(decode(text, in: step, with: &decoder) == expected)
            #expect(decoder.defects == defects)
        }
    }

    @Test(
        arguments: [
            ("a=3Db", "a=b"), ("a=3db", "a=b"), ("Gr=C3=BC=C3=9Fe", "Grüße"), ("a=\nb", "ab"), ("a=\r\nb", "ab"),
            // white space of a soft line break goes, that of the text stays
            ("a= \nb", "ab"), ("a= \t\r\nb", "ab"), ("a =\r\nb", "a b"), ("a  \r\nb", "a  \r\nb"), ("a= ", "a"),
            // what encodes nothing stays as it came
            ("a=ZZ", "a=ZZ"), ("a=4", "a=4"), ("a=4x", "a=4x"), ("a=4\nb", "a=4\r\nb"), ("a= b", "a= b"),
            ("a==41", "a=A"),
            ("a\nb\n\nc", "a\r\nb\r\n\r\nc"), ("\n", "\r\n"), ("a\rb\r\n", "a\rb\r\n"), ("a=0D\nb=0A", "a\r\r\nb\n"),
            ("=41\n", "A\r\n"), ("a=\rb", "a=\rb"), ("a= =42", "a= B"), ("a=", "a"), ("", ""), ("=", ""),
            ("a=\r\r\nb", "a=\r\r\nb"),
        ])
    func quotedPrintable(_ text: String, _ expected: String) {
        for step in 1...5 {
            var decoder = QuotedPrintableDecoder()
            #expect(decode(text, in: step, with: &decoder) == expected)
        }
    }

    /// Meaningful bytes in any order: read at once, they give what they give byte by byte.
    @Test func quotedPrintableInWholeAndInPieces() {
        var generator = SeededGenerator(seed: 14)
        let alphabet = Array("==\r\n \t4Ag".utf8)
        for _ in 0..<5000 {
            let text = String(
                decoding: (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                    alphabet.randomElement(using: &generator) ?? 0
                }, as: UTF8.self)
            expectSame(text)
        }
        // Padding that is as long as some is, and longer.
        for count in 996...1000 {
            for end in ["\n", "\r\n", "\r", "x"] { expectSame("a=" + Self.repeated(" ", count) + end + "b") }
        }
    }

    /// A message from a file, with LF, is the same bytes as from a server, with CRLF.
    @Test func quotedPrintableDoesNotDependOnLineEnds() {
        var generator = SeededGenerator(seed: 15)
        let alphabet = Array("==\n\n \t4Ag".utf8)
        for _ in 0..<3000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            let text = String(decoding: bytes, as: UTF8.self)
            var (lf, crlf) = (QuotedPrintableDecoder(), QuotedPrintableDecoder())
            let step = Int.random(in: 1...5, using: &generator)
            let expected = decode(text.replacing("\n", with: "\r\n"), in: step, with: &crlf)
            #expect(decode(text, in: step, with: &lf) == expected, "\(bytes)")
        }
    }

    private func expectSame(_ text: String) {
        var (whole, single) = (QuotedPrintableDecoder(), QuotedPrintableDecoder())
        let expected = decode(text, in: 1, with: &single)
        #expect(decode(text, in: text.utf8.count + 1, with: &whole) == expected, "\(Array(text.utf8))")
    }

    private func decode(_ text: String, in step: Int, with decoder: inout some StreamDecoder) -> String {
        var output: [UInt8] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: step) {
            Array(bytes[start..<min(start + step, bytes.count)]).withUnsafeBytes { decoder.decode($0, into: &output) }
        }
        decoder.finish(into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("hi\nbegin 644 a.txt\n#0V%T\n`\nend\nbye\n", "hi\nbye\n", "a.txt", "Cat", []),
            ("begin 644 a.txt\n#0V%T\nbye\n", "bye\n", "a.txt", "Cat", [.uuencodeTruncated]),
        ] as [(String, String, String, String, Set<Defect>)])
    func embedded(_ body: String, _ text: String, _ name: String, _ data: String, _ defects: Set<Defect>) {
        let found = scan(body)
        #expect(found.text == text)
        #expect(found.names == [name])
        #expect(found.data == data)
        #expect(found.defects == defects)
    }

    @Test(arguments: [
        "begin 644 with care\nand go on\n", "let us begin\n", "begin 12 x\n#0V%T\n",
        "=ybegin line=128 size=3 name=y.bin\nabc\n=yend size=3\n",
    ])
    func ordinaryTextStays(_ body: String) {
        #expect(scan(body).text == body)
        #expect(scan(body).names.isEmpty)
    }

    @Test
    func chunksOfATextDoNotMatter() {
        var random = SeededGenerator(seed: 1)
        let lines = [
            "begin 644 a.txt\n", "#0V%T\n", "`\n", "end\n", "text\r\n", "it will begin 644 now\n", "\n", "begin ", "x",
            String(repeating: "long ", count: 1000),
        ]
        for round in 0..<500 {
            // The long line takes most of the time: it is among those of each fifth text.
            let choice = round % 5 == 0 ? lines[...] : lines.dropLast()
            let body = (0..<8).map { _ in choice.randomElement(using: &random) ?? "" }.joined()
            let whole = scan(body)
            for chunk in [1, 2, 7, 100, 5000] {
                let found = scan(body, chunk: chunk)
                #expect(found == whole, "\(body.debugDescription) in chunks of \(chunk)")
            }
        }
    }

    private func scan(
        _ body: String, chunk: Int = .max
    ) -> (text: String, names: [String], data: String, defects: Set<Defect>) {
        var scanner = EmbeddedFileScanner()
        var (text, names, data, defects): ([UInt8], [String], [UInt8], Set<Defect>) = ([], [], [], [])
        func take(_ event: EmbeddedFileScanner.Event) {
            switch event {
            case .text(let bytes): text += bytes
            case .begin(let name): names.append(String(decoding: name, as: UTF8.self))
            case .data(let bytes): data += bytes
            case .end(let found): defects.formUnion(found)
            }
        }
        Array(body.utf8).withUnsafeBytes { bytes in
            for start in stride(from: 0, to: bytes.count, by: min(chunk, max(bytes.count, 1))) {
                scanner.feed(UnsafeRawBufferPointer(rebasing: bytes[start...].prefix(chunk)), take)
            }
        }
        scanner.finish(take)
        return (String(decoding: text, as: UTF8.self), names, String(decoding: data, as: UTF8.self), defects)
    }
}
