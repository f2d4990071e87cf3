import Ingest
import Testing

@testable import MailParse

@Suite struct BodyDecoderTests {
    @Test(
        arguments: [
            ("QUJD\r\nREVG", "ABCDEF", []), ("QUI=", "AB", []), ("QQ==QUJD", "AABC", [.base64StrayPadding]),
            ("QU!JD", "ABC", [.base64InvalidCharacters]), ("QUJDRA", "ABCD", [.base64Truncated]), ("", "", []),
        ] as [(String, String, Set<Defect>)])
    func base64(_ text: String, _ expected: String, _ defects: Set<Defect>) {
        for step in 1...5 {
            var decoder = Base64Decoder()
            var output: [UInt8] = []
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: step) {
                Array(bytes[start..<min(start + step, bytes.count)])
                    .withUnsafeBytes { decoder.decode($0, into: &output) }
            }
            decoder.finish(into: &output)
            #expect(String(decoding: output, as: UTF8.self) == expected)
            #expect(decoder.defects == defects)
        }
    }

    @Test(
        arguments: [
            ("hi\nbegin 644 a.txt\n#0V%T\n`\nend\nbye\n", "hi\nbye\n", "a.txt", "Cat", []),
            ("begin 644 a.txt\n#0V%T\nbye\n", "bye\n", "a.txt", "Cat", [.uuencodeTruncated]),
            (
                "=ybegin line=128 size=3 name=y.bin\r\nm\u{6E}o\r\n=yend size=3 crc32=3342f36f\r\nz", "z", "y.bin",
                "CDE", [.yencMismatch]
            ),
        ] as [(String, String, String, String, Set<Defect>)])
    func embedded(_ body: String, _ text: String, _ name: String, _ data: String, _ defects: Set<Defect>) {
        let found = scan(body)
        #expect(found.text == text)
        #expect(found.names == [name])
        #expect(found.data == data)
        #expect(found.defects == defects)
    }

    @Test(arguments: [
        "begin 644 with care\nand go on\n", "let us begin\n", "begin 12 x\n#0V%T\n", "=ybegin is a word\n",
    ])
    func ordinaryTextStays(_ body: String) {
        #expect(scan(body).text == body)
        #expect(scan(body).names.isEmpty)
    }

    private func scan(_ body: String) -> (text: String, names: [String], data: String, defects: Set<Defect>) {
        var scanner = EmbeddedFileScanner()
        var (text, names, data, defects): ([UInt8], [String], [UInt8], Set<Defect>) = ([], [], [], [])
        func take(_ event: EmbeddedFileScanner.Event) {
            switch event {
            case .text(let bytes): text += bytes
            case .begin(let name, _): names.append(String(decoding: name, as: UTF8.self))
            case .data(let bytes): data += bytes
            case .end(let found): defects.formUnion(found)
            }
        }
        Array(body.utf8).withUnsafeBytes { scanner.feed($0, take) }
        scanner.finish(take)
        return (String(decoding: text, as: UTF8.self), names, String(decoding: data, as: UTF8.self), defects)
    }
}
