import FundCore
import FundPreview
import Ingest
import Terminal

/// The check-up of the languages in which words in pictures are recognised.
enum RecognitionCheckup {
    /// The program that recognises them.
    static let tool = "tesseract"

    /// A language that is wanted and not there is a failure: nothing is recognised then.
    ///
    /// - Parameter settings: nil where words in pictures are not recognised.
    static func report(
        _ abilities: ConverterAbilities, _ settings: RecognitionSettings?, _ findings: inout DoctorFindings
    ) {
        guard let settings else { return findings.ok(.ocr, "off") }
        // Without the program itself, it is named among the others that are missing.
        guard abilities.tools.contains(where: { $0.name == tool && $0.version != nil }) else { return }
        guard let wanted = settings.languages else {
            let usual = RecognitionLanguage.usual(of: abilities.languages)
            return usual.isEmpty
                ? findings.warn(
                    .ocr,
                    "none of the usual languages is installed: sudo apt install tesseract-ocr-eng tesseract-ocr-chi-sim"
                )
                : findings.ok(.ocr, text(usual, settings))
        }
        let missing = wanted.filter { !abilities.languages.contains($0) }
        guard !missing.isEmpty else { return findings.ok(.ocr, text(wanted, settings)) }
        let names = missing.map(\.name).joined(separator: ", ")
        let packages = missing.compactMap(\.debianPackage)
        var advice = packages.isEmpty ? [] : ["sudo apt install \(packages.joined(separator: " "))"]
        for language in missing where language.debianPackage == nil {
            let near = NearestName.of(language.name, among: RecognitionLanguage.debianNames)
            advice.append("Debian has no \(language.name)\(near.map { "; did you mean \($0)?" } ?? "")")
        }
        findings.fail(
            .ocr,
            CommandError(
                .configuration,
                "no words are recognised, since there is no model of tesseract for \(names): "
                    + advice.joined(separator: "; ")))
    }

    private static func text(_ languages: [RecognitionLanguage], _ settings: RecognitionSettings) -> String {
        "\(languages.map(\.name).joined(separator: ", ")), up to \(settings.maxPages) pages of a file"
    }
}
