import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct OfficeTests {
    @Test func theTextOfDocuments() async throws {
        #expect(
            try await Outcome.of(.text, SampleZip.docx(["Capital &amp; call", "基金"])) == .text("Capital & call\n基金\n"))
        #expect(
            try await Outcome.of(.text, SampleZip.odt("<text:h>Title</text:h><text:p>Body</text:p>"))
                == .text("Title\nBody\n"))
    }

    @Test func documentsWithAPassword() async throws {
        let package = SampleCompoundFile.with(["EncryptionInfo", "EncryptedPackage"])
        #expect(try await Outcome.of(.info, package) == .info(FileInfo(.docx, isEncrypted: true)))
        let odt = SampleZip.odt("<text:p>x</text:p>", manifest: "<manifest:encryption-data/>")
        #expect(try await Outcome.of(.info, odt) == .info(FileInfo(.odt, isEncrypted: true)))
        for (bytes, type) in [(package, TrueType.docx), (odt, .odt)] {
            #expect(try await Outcome.of(.document, bytes, as: type) == .failed(.encrypted))
            #expect(try await Outcome.of(.text, bytes, as: type) == .failed(.encrypted))
        }
    }

    /// 100 MB of XML in a small file.
    @Test func aZipBombGivesTheBeginningOfItsText() async throws {
        let folder = try SampleFolder()
        try FileManager.default.createDirectory(atPath: "\(folder.path)/word", withIntermediateDirectories: true)
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/[Content_Types].xml"))
        let paragraph = Data(String(repeating: "<w:p><w:t>ha</w:t></w:p>", count: 43690).utf8)
        let document = FileHandle(forWritingAtPath: try folder.make("word/document.xml", "cp", ["/dev/null", "OUT"]))
        for _ in 0..<100 { try document?.write(contentsOf: paragraph) }
        try document?.close()
        let path = try folder.make("bomb.zip", "bsdtar", ["-a", "-cf", "OUT", "[[]Content_Types].xml", "word"])
        let file = try SampleFile(path: path)
        #expect(TrueType.of(descriptor: file.descriptor) == .zip || TrueType.of(descriptor: file.descriptor) == .docx)
        let text = try #require(try await Outcome.of(.text, file, as: .docx).text)
        #expect(text.hasPrefix("ha\nha\n") && text.utf8.count <= 1 << 20)
    }

    @Test(.enabled(if: ConverterProgram.has("soffice")), arguments: [TestConverter.best, TestConverter.landlock])
    func documentsBecomePDF(_ converter: ConverterProcess) async throws {
        let file = try SampleFile(SampleZip.docx(["Capital call"]))
        let pdf = try await converter.document(of: file, as: .docx)
        let info = try #require(try await Outcome.of(.info, pdf).info)
        #expect(info.type == .pdf && info.pageCount == 1)
        #expect(try await Outcome.of(.text, pdf).text?.contains("Capital call") == true)
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file, by: converter) == .failed(.unsupported))
    }

    /// All of it, the first paragraph included, in Chinese, too.
    @Test(.enabled(if: ConverterProgram.has("soffice")), arguments: [TestConverter.best, TestConverter.landlock])
    func webPagesBecomePDF(_ converter: ConverterProcess) async throws {
        let paragraphs = (1...1000).map { "<p>Paragraph \($0)</p>" }.joined()
        let html = "<!doctype html><html><head><meta charset=\"utf-8\"></head><body><h1>Fees 基金</h1>"
        let file = try SampleFile(Array("\(html)<table><tr><td>Cell</table>\(paragraphs)</body></html>".utf8))
        let pdf = try await converter.document(of: file, as: .html)
        let info = try #require(try await Outcome.of(.info, pdf).info)
        #expect(info.type == .pdf && info.pageCount ?? 0 > 20)
        let text = try #require(try await Outcome.of(.text, pdf).text)
        #expect(text.hasPrefix("Fees 基金") && text.contains("Cell") && text.contains("Paragraph 1000"))
    }

    /// No picture, style sheet, frame or script, and no file of the machine.
    @Test(.enabled(if: ConverterProgram.has("soffice")), arguments: [TestConverter.best, TestConverter.landlock])
    func aWebPageCallsNowhere(_ converter: ConverterProcess) async throws {
        let folder = try SampleFolder()
        let listeners = LoopbackListeners(in: folder)
        let other = "http://127.0.0.1:\(listeners.port)/a"
        let html =
            "<!doctype html><html><head><link rel=stylesheet href=\"\(other)\"><style>@import url(\(other));</style>"
            + "<script src=\"\(other)\"></script></head><body background=\"\(other)\"><p>x</p><img src=\"\(other)\">"
            + "<iframe src=\"\(other)\"></iframe><object data=\"\(other)\"></object></body></html>"
        #expect(try await Outcome.of(.document, Array(html.utf8), by: converter) == .document)
        #expect(!listeners.isReached)
    }

    @Test(.enabled(if: ConverterProgram.has("soffice")), arguments: [TestConverter.best, TestConverter.landlock])
    func aDocumentCallsNowhere(_ converter: ConverterProcess) async throws {
        let folder = try SampleFolder()
        let listeners = LoopbackListeners(in: folder)
        let picture =
            "<text:p>x<draw:frame text:anchor-type=\"as-char\" svg:width=\"5cm\" svg:height=\"5cm\"><draw:image"
            + " xlink:href=\"http://127.0.0.1:\(listeners.port)/a.png\" xlink:type=\"simple\" xlink:show=\"embed\""
            + " xlink:actuate=\"onLoad\"/></draw:frame></text:p>"
        #expect(try await Outcome.of(.document, SampleZip.odt(picture), by: converter) == .document)
        #expect(!listeners.isReached)
    }
}
