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
