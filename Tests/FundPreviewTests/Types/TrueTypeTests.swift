import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite struct TrueTypeTests {
    private static let zeros = [UInt8](repeating: 0, count: 600)

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) }

    private static func media(_ brand: String, _ others: String = "") -> [UInt8] {
        let size = 16 + others.utf8.count
        return [0, 0, 0, UInt8(size)] + text("ftyp\(brand)") + [0, 0, 0, 0] + text(others) + zeros
    }

    private static let magic: [(TrueType, [UInt8])] = [
        (.pdf, text("%PDF-1.7\n%âã") + zeros),
        (.pdf, text("junk of a printer\n\n%PDF-1.4\n") + [0, 1, 2]),
        (.jpeg, [0xFF, 0xD8, 0xFF, 0xE0] + zeros),
        (.png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + zeros),
        (.gif, text("GIF89a") + zeros), (.gif, text("GIF87a") + zeros),
        (.tiff, [0x49, 0x49, 42, 0] + zeros), (.tiff, [0x4D, 0x4D, 0, 42] + zeros),
        (.webp, text("RIFF\u{10}\0\0\0WEBPVP8 ") + zeros),
        (.wav, text("RIFF\u{10}\0\0\0WAVEfmt ") + zeros), (.avi, text("RIFF\u{10}\0\0\0AVI LIST") + zeros),
        (.bmp, text("BM") + Array(repeating: 0, count: 12) + [40, 0, 0, 0] + zeros),
        (.unknown, text("BM") + zeros),
        (.heic, media("heic", "mif1heic")), (.heic, media("mif1", "heic")), (.avif, media("avif", "mif1miaf")),
        (.avif, media("mif1", "avifmiaf")), (.mp4, media("isom", "iso2avc1mp41")), (.mp4, media("mp42")),
        (.m4a, media("M4A ", "isom")), (.quicktime, media("qt  ")),
        (.quicktime, [0, 0, 0, 8] + text("wide") + [0, 0, 1, 0] + text("mdat") + zeros),
        (.matroska, [0x1A, 0x45, 0xDF, 0xA3] + zeros), (.ogg, text("OggS") + zeros), (.flac, text("fLaC") + zeros),
        (.amr, text("#!AMR\n") + zeros), (.mpegVideo, [0, 0, 1, 0xBA] + zeros),
        (.mp3, text("ID3") + [4, 0, 0, 0, 0, 0, 10] + zeros),
        (.rtf, text("{\\rtf1\\ansi Hello}")), (.sevenZip, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C, 0, 4] + zeros),
        (.gzip, [0x1F, 0x8B, 8, 0] + zeros),
        (.tar, text("a.txt") + Array(repeating: 0, count: 252) + text("ustar") + zeros),
        (.unknown, []), (.unknown, zeros),
    ]

    private static func recipients(_ count: Int) -> String { String(repeating: ",\n x@d.example", count: count) }

    private static let texts: [(TrueType, String)] = [
        (.text, "Hello"), (.text, "名前,金額\n山田,100\n"), (.text, "# Title\n\nSome *Markdown*.\n"), (.text, "{\"a\": 1}"),
        (.text, "<?xml version=\"1.0\"?><invoice><total>1</total></invoice>"),
        (.text, "a < b, and b > c: no markup"), (.text, "Subject: of a letter\n\nDear Sir"),
        (.html, "<!DOCTYPE html>\n<html><body>x</body></html>"), (.html, "  <!-- x --><HTML><head>"),
        (.html, "<p>Only a part</p>"), (.html, "<?xml version=\"1.0\"?><html xmlns=\"http://www.w3.org/1999/xhtml\"/>"),
        (.svg, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>"),
        (.svg, "\u{FEFF}<?xml version=\"1.0\"?>\n<!-- a > b -->\n<svg:svg xmlns:svg=\"x\"></svg:svg>"),
        (.svg, "<!DOCTYPE svg [<!ENTITY a \"<html>\"> <!ENTITY b \"]>\">]>\n<svg width='1'>"),
        (.calendar, "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n"), (.card, "begin:vcard\r\nFN:A\r\n"),
        (.mail, "Return-Path: <a@b.example>\r\nReceived: from x\r\n by y\r\nFrom: a@b.example\r\nSubject: x\r\n\r\nHi"),
        (.mail, "From: a@b.example\nTo: x@d.example\(recipients(900))\nDate: today\n\n"),
        (.mail, "From: a@b.example\nTo: x@d.example\(recipients(9000))"),
        (.text, "Dear: all\nTo: x@d.example\(recipients(9000))"),
        (.text, "From: me\nTo: x@d.example\(recipients(900))"),
        (.mail, "From: a@b.example\nTo: c@d.example\nSubject: x\nDate: Mon, 1 Jan 2024 00:00:00 +0000\n\n<html>"),
    ]

    @Test func bytesTellTheType() {
        for (index, (type, bytes)) in Self.magic.enumerated() {
            #expect(TrueType.of(beginning: bytes) == type, "line \(index)")
        }
        for (type, text) in Self.texts { #expect(TrueType.of(beginning: Array(text.utf8)) == type, "\(text)") }
    }

    @Test func containersTellWhatIsInThem() {
        #expect(TrueType.of(beginning: SampleZip.docx(["x"])) == .docx)
        #expect(TrueType.of(beginning: SampleZip.odt("")) == .odt)
        let sheet = [("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", "")]
        #expect(TrueType.of(beginning: SampleZip.of(sheet)) == .ods)
        for (folder, type) in [("xl", TrueType.xlsx), ("ppt", .pptx), ("other", .zip)] {
            #expect(
                TrueType.of(beginning: SampleZip.of([("[Content_Types].xml", ""), ("\(folder)/x.xml", "")])) == type)
        }
        // A folder of that name in an archive makes no document of it.
        #expect(TrueType.of(beginning: SampleZip.of([("word/letter.txt", "x")])) == .zip)
        // The end is missing.
        #expect(TrueType.of(beginning: Array(SampleZip.docx(["a", "b"]).dropLast(300))) == .docx)
        #expect(TrueType.of(beginning: SampleZip.of([])) == .zip)
        let streams: [([String], TrueType)] = [
            (["WordDocument"], .doc), (["Workbook"], .xls), (["Book"], .xls), (["PowerPoint Document"], .ppt),
            (["EncryptionInfo", "EncryptedPackage"], .docx), (["__properties_version1.0"], .unknown),
        ]
        for (names, type) in streams { #expect(TrueType.of(beginning: SampleCompoundFile.with(names)) == type) }
    }

    @Test func namesBehindManyBytesAreFound() throws {
        let files = [
            ("[Content_Types].xml", ""), ("media/x.png", String(repeating: "x", count: 200_000)),
            ("xl/workbook.xml", ""),
        ]
        let file = try SampleFile(SampleZip.of(files))
        #expect(TrueType.of(descriptor: file.descriptor) == .xlsx)
    }

    @Test func compoundFileWhoseChainRunsInARing() {
        var bytes = SampleCompoundFile.with(["Other"])
        bytes.replaceSubrange((512 + 4)..<(512 + 8), with: [1, 0, 0, 0])
        #expect(TrueType.of(beginning: bytes) == .unknown)
    }

    @Test func randomBytesAreUnknown() {
        for seed in 1...300 as ClosedRange<UInt64> {
            let count = [16, 40, 64, 100, 1000, 70_000][Int(seed % 6)]
            #expect(TrueType.of(beginning: randomBytes(count, seed: seed)) == .unknown, "seed \(seed)")
        }
    }

    /// Cut off anywhere, and with any byte changed, nothing traps.
    @Test func brokenContainersAreRead() {
        for whole in [SampleZip.docx(["x"]), SampleZip.odt("x"), SampleCompoundFile.with(["WordDocument"])] {
            for end in stride(from: 0, to: whole.count, by: 7) { _ = TrueType.of(beginning: Array(whole[..<end])) }
            for place in stride(from: 0, to: whole.count, by: 3) {
                var bytes = whole
                bytes[place] ^= 0xFF
                _ = TrueType.of(beginning: bytes)
            }
        }
    }

    @Test func encodingsOfText() {
        let utf16: [UInt8] = [0xFF, 0xFE, 0x2D, 0x4E, 0x87, 0x65]
        #expect(TextEncoding.of(utf16, isWhole: true) == .utf16Little)
        #expect(TextEncoding.of([0xE4, 0xB8], isWhole: false) == .utf8)
        // 基金季度报告 资产净值 twice, in GB 2312
        let gb: [UInt8] = [
            0xBB, 0xF9, 0xBD, 0xF0, 0xBC, 0xBE, 0xB6, 0xC8, 0xB1, 0xA8, 0xB8, 0xE6, 0xD7, 0xCA, 0xB2, 0xFA, 0xBE, 0xBB,
            0xD6, 0xB5,
        ]
        #expect(TextEncoding.of(gb + [10] + gb, isWhole: true) == .legacy("GB18030"))
        // 基金季度報告 in Big5
        let big5: [UInt8] = [0xB0, 0xF2, 0xAA, 0xF7, 0xA9, 0x75, 0xAB, 0xD7, 0xB3, 0xF8, 0xA7, 0x69]
        #expect(TextEncoding.of(big5 + [10] + big5, isWhole: true) == .legacy("BIG5"))
        let latin =
            Array("Vertr".utf8) + [0xE4] + Array("ge und B".utf8) + [0xFC] + Array("rgschaften f".utf8) + [0xFC, 0x72]
        #expect(TextEncoding.of(latin, isWhole: true) == .legacy("CP1252"))
        #expect(TextEncoding.of([0, 1, 2], isWhole: true) == nil)
    }
}
