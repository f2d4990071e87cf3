import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct TextTests {
    private static let chinese: [UInt8] = [
        0xBB, 0xF9, 0xBD, 0xF0, 0xBC, 0xBE, 0xB6, 0xC8, 0xB1, 0xA8, 0xB8, 0xE6, 0xD7, 0xCA, 0xB2, 0xFA, 0xBE, 0xBB,
        0xD6, 0xB5,
    ]

    @Test func textsOfAllEncodings() async throws {
        #expect(try await Outcome.of(.text, Array("Grüße\u{1}, 基金\n".utf8), as: .text) == .failed(.damaged))
        #expect(try await Outcome.of(.text, Array("\u{FEFF}Grüße, 基金\n".utf8)) == .text("Grüße, 基金\n"))
        #expect(try await Outcome.of(.text, [0xFE, 0xFF, 0x57, 0xFA, 0x91, 0xD1], as: .text) == .text("基金"))
        let twice = Self.chinese + [0x0A] + Self.chinese
        #expect(try await Outcome.of(.text, twice) == .text("基金季度报告资产净值\n基金季度报告资产净值"))
    }

    @Test func longTextsAreCutBetweenCharacters() async throws {
        let text = String(repeating: "基", count: 500_000)
        let kept = try #require(try await Outcome.of(.text, Array(text.utf8)).text)
        #expect(kept == String(repeating: "基", count: (1 << 20) / 3))
    }

    @Test(.enabled(if: ConverterProgram.has("w3m"))) func markupIsShownAsText() async throws {
        let html =
            "<!DOCTYPE html><meta charset=utf-8><style>p{}</style><h1>Fund</h1>"
            + "<p>Net &amp; gross <b>基金</b></p><script>x</script>"
        let text = try #require(try await Outcome.of(.text, Array(html.utf8)).text)
        #expect(text.contains("Net & gross 基金") && text.contains("Fund") && !text.contains("x"))
    }

    @Test func archivesAreListsOfNames() async throws {
        let zip = SampleZip.of([("a/report.txt", "x"), ("基金.pdf", "y")])
        #expect(try await Outcome.of(.text, zip) == .text("a/report.txt\n基金.pdf\n"))
        let secret = SampleZip.of([("a.txt", "x")], isEncrypted: true)
        #expect(try await Outcome.of(.info, secret) == .info(FileInfo(.zip, isEncrypted: true)))
        let folder = try SampleFolder()
        _ = try folder.make("b.txt", "cp", ["/dev/null", "OUT"])
        for name in ["a.tar", "a.tar.gz", "a.7z"] {
            let path = try folder.make(name, "bsdtar", ["-a", "-cf", "OUT", "b.txt"])
            #expect(try await Outcome.of(.text, SampleFile(path: path)) == .text("b.txt\n"), "\(name)")
        }
        #expect(
            try await Outcome.of(.text, [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0])
                == .failed(.unsupported))
    }

    /// With `[pages]` of words and marks, as the XML of office documents says them.
    @Test func textInMarkup() {
        func text(_ xml: String, _ vocabulary: MarkupText.Vocabulary = .office) -> String {
            var reader = MarkupText(vocabulary)
            return String(decoding: reader.read(Array(xml.utf8)), as: UTF8.self)
        }
        #expect(
            text("<w:p><w:t>a</w:t><w:tab/><w:t>b &amp; c&#x57FA;&lt;</w:t></w:p><w:p/><w:p><w:t>d</w:t></w:p>")
                == "a\tb & c基<\nd\n")
        #expect(
            text("<w:p><w:pPr><w:tabs><w:tab w:pos='1'/></w:tabs></w:pPr><w:instrText>FIELD</w:instrText></w:p>")
                .isEmpty)
        #expect(text("<sst><si><t>one</t></si><si><r><t>tw</t></r><r><t>o</t></r></si></sst>") == "one\ntwo\n")
        #expect(
            text("<p:sld><a:p><a:t>1</a:t></a:p></p:sld><p:sld><a:p><a:t>2</a:t></a:p></p:sld>") == "1\n\u{C}2\n\u{C}")
        let open = "<text:p>a <text:span>b</text:span><text:s/><text:line-break/>c</text:p><office:x>no</office:x>"
        #expect(text(open, .openDocument) == "a b \nc\n")
        #expect(text("<w:t>cut off") == "cut off")
        #expect(text("<w:t><![CDATA[a<b]]></w:t><!-- <w:t>no</w:t> -->") == "a<b")
        #expect(text("<w:t>&unknown;&amp&#0;&#xFFFFFFFFFF;</w:t>").isEmpty == false)
    }
}
