internal import Glibc
import FundCore

/// The words in pictures by tesseract(1).
enum RecognitionTools {
    /// Of the longer side: A4 with 200 dots per inch, with which the characters of a letter are told apart.
    private static let pixels = 2340
    /// Of pictures, which may be photographs of a page with a margin.
    private static let picturePixels = 3500

    static func text(_ job: ToolJob, page: Int) throws(ToolError) -> [UInt8] {
        guard page >= 1, let languages else { throw .failure(page >= 1 ? .noTool : .unsupported) }
        let script: String
        let values: [String]
        let tools: [String]
        switch job.conversion.type.family {
        case .pdf:
            (script, tools) = (pageScript, ["pdftoppm"])
            values = [languages, "\(page)", "\(pixels)"]
        case .picture:
            guard page == 1 || job.conversion.type == .tiff else { throw .failure(.unsupported) }
            (script, tools) = (pictureScript, ["vipsheader", "vipsthumbnail"])
            values = [languages, page == 1 ? "" : "[page=\(page - 1)]", "\(picturePixels)"]
        default: throw .failure(.unsupported)
        }
        let command = SandboxCommand.script(script, values, limits: ToolLimits.recognition)
        return try job.output(of: command, needing: tools + ["tesseract"])
    }

    private static let pageScript = """
        set -e
        pdftoppm -f "$3" -l "$3" -scale-to "$4" -gray -singlefile "$1" > picture
        \(recognition)
        """

    private static let pictureScript = """
        set -e
        \(PictureTools.checkScript)
        vipsthumbnail "$1$3" --size "$4x$4>" -o "$PWD/picture.png"
        mv picture.png picture
        \(recognition)
        """

    /// With the layout analysis that also finds which way is up (psm 1): Chinese needs it. A picture in which it finds
    /// nothing to judge by is tried without.
    private static let recognition = """
        tesseract picture words --psm 1 -l "$2" > said 2>&1 || tesseract picture words -l "$2"
        cat words.txt
        """

    /// Chinese before English: the first language decides in doubt, and the model of Chinese knows Latin letters.
    private static let wantedLanguages = ["chi_sim", "chi_tra", "eng"]
    private static let folders = [
        "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
    ]

    /// Those that are installed, as tesseract(1) takes them; nil for none.
    private static var languages: String? {
        let installed = wantedLanguages.filter { language in
            folders.contains { access("\($0)/\(language).traineddata", R_OK) == 0 }
        }
        // The models of both kinds of Chinese take twice the time; English is in none of them well enough.
        let one = installed.first { $0.hasPrefix("chi") }.map { [$0] } ?? []
        let all = one + installed.filter { $0 == "eng" }
        return all.isEmpty ? nil : all.joined(separator: "+")
    }
}
