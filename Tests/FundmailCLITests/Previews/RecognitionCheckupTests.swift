import FundCore
import FundPreview
import TestSupport
import Testing

@testable import FundmailCLI
@testable import Terminal

/// The check-up of the languages of recognition.
@Suite(.startsPrograms) struct RecognitionCheckupTests {
    private static func languages(_ names: String...) -> [RecognitionLanguage] { names.compactMap { .init($0) } }

    private func findings(
        _ wanted: [RecognitionLanguage]?, installed: [RecognitionLanguage], hasTool: Bool = true
    ) -> DoctorFindings {
        let tool = ConverterAbilities.Tool(
            name: "tesseract", version: hasTool ? "5.3.0" : nil, debianPackage: "tesseract-ocr-eng")
        let abilities = ConverterAbilities(sandbox: .namespaces, tools: [tool], languages: installed)
        var (findings, settings) = (DoctorFindings(), RecognitionSettings())
        settings.languages = wanted
        RecognitionCheckup.report(abilities, settings, &findings)
        return findings
    }

    @Test func languagesThatAreThere() {
        let installed = Self.languages("chi_sim", "eng", "osd")
        let usual = findings(nil, installed: installed)
        #expect(usual.all.map(\.text) == ["chi_sim, eng, up to 50 pages of a file"] && usual.status == nil)
        let named = findings(Self.languages("eng"), installed: installed)
        #expect(named.all.map(\.text) == ["eng, up to 50 pages of a file"] && named.status == nil)
        // Traditional Chinese stands in where there is no simplified.
        #expect(findings(nil, installed: Self.languages("chi_tra")).all.first?.text.hasPrefix("chi_tra,") ?? false)
        #expect(findings(nil, installed: [], hasTool: false).all.isEmpty)
    }

    @Test func languagesThatAreMissing() throws {
        let missing = findings(Self.languages("eng", "deu", "uzb_cyrl"), installed: Self.languages("eng"))
        #expect(missing.status == .configuration)
        #expect(
            missing.all.first?.text
                == "no words are recognised, since there is no model of tesseract for deu, uzb_cyrl: "
                + "sudo apt install tesseract-ocr-deu tesseract-ocr-uzb-cyrl")
        let unknown = findings(Self.languages("engl", "klingon"), installed: Self.languages("eng"))
        let text = try #require(unknown.all.first?.text)
        #expect(text.contains("Debian has no engl; did you mean eng?") && text.contains("Debian has no klingon"))
        #expect(!text.contains("apt install"))
        let none = findings(nil, installed: [])
        #expect(none.status == nil && none.all.first?.text.contains("tesseract-ocr-chi-sim") ?? false)
    }

    @Test func offIsSaid() {
        var findings = DoctorFindings()
        RecognitionCheckup.report(ConverterAbilities(sandbox: .namespaces, tools: []), nil, &findings)
        #expect(findings.all.map(\.text) == ["off"] && findings.status == nil)
    }

    @Test(arguments: ["", "_", "../eng", "eng+deu", "-l", "script/Latin", "ä", String(repeating: "a", count: 33)])
    func namesThatAreNone(_ name: String) { #expect(RecognitionLanguage(name) == nil) }
}
