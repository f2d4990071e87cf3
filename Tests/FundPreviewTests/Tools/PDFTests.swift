import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct PDFTests {
    @Test(arguments: [TestConverter.best, TestConverter.landlock]) func pagesAsPicturesAndText(
        _ converter: ConverterProcess
    ) async throws {
        let pdf = SamplePDF.pages(["Capital call", "Net asset value", "Distribution"])
        #expect(try await Outcome.of(.info, pdf, by: converter) == .info(FileInfo(.pdf, pages: 3, 595, 842)))
        guard
            case .picture(let width, let height) = try await Outcome.of(
                .picture(pixels: 480, page: 3), pdf, by: converter)
        else {
            Issue.record("no picture")
            return
        }
        #expect((478...480).contains(height) && (338...340).contains(width))
        #expect(
            try await Outcome.of(.text, pdf, by: converter)
                == .text("Capital call\n\n\u{C}Net asset value\n\n\u{C}Distribution\n\n\u{C}"))
    }

    @Test func whatIsNotThereOrCannotBeRead() async throws {
        let pdf = SamplePDF.pages(["One"])
        #expect(try await Outcome.of(.picture(pixels: 480, page: 2), pdf) == .failed(.unsupported))
        #expect(try await Outcome.of(.document, pdf) == .failed(.unsupported))
        let encrypted = SamplePDF.encrypted()
        #expect(try await Outcome.of(.info, encrypted) == .info(FileInfo(.pdf, isEncrypted: true)))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), encrypted) == .failed(.encrypted))
        #expect(try await Outcome.of(.text, encrypted) == .failed(.encrypted))
        let empty = SamplePDF.pages([])
        #expect(try await Outcome.of(.info, empty) == .failed(.damaged))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), empty) == .failed(.damaged))
        let broken = Array("%PDF-1.7\n".utf8) + randomBytes(5000, seed: 1)
        for work in [Conversion.Work.info, .picture(pixels: 480, page: 1), .text] {
            #expect(try await Outcome.of(work, broken) == .failed(.damaged), "\(work)")
        }
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), [], as: .pdf) == .failed(.damaged))
    }

    @Test func aPageOf200InchesIsNoLarger() async throws {
        let text = String(decoding: SamplePDF.pages(["x"]), as: UTF8.self)
        // A text of the same length, so that the table of places stays right.
        let wide = text.replacing("[0 0 595 842]", with: "[0 0 14e3 9]")
        guard case .picture(let width, _) = try await Outcome.of(.picture(pixels: 480, page: 1), Array(wide.utf8))
        else {
            Issue.record("no picture")
            return
        }
        #expect(width <= 480)
    }

    @Test func formsInFormsRunOutOfTime() async throws {
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), SamplePDF.bomb()) == .failed(.timedOut))
    }

    @Test(.enabled(if: ConverterProgram.has("tesseract"))) func theWordsOfAPageAreRecognised() async throws {
        let text = try #require(try await Outcome.of(.recognition(page: 1), SamplePDF.pages(["Capital call"])).text)
        #expect(text.contains("Capital call"))
        let languages = ["eng", "deu_of_nowhere"].map { [RecognitionLanguage($0)].compactMap(\.self) }
        let page = SamplePDF.pages(["Net asset value"])
        let words = try #require(try await Outcome.of(.recognition(page: 1, languages: languages[0]), page).text)
        #expect(words.contains("Net asset value"))
        let missing = try await Outcome.of(.recognition(page: 1, languages: languages[0] + languages[1]), page)
        #expect(missing == .failed(.noTool))
    }
}
