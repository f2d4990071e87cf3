import FundCore

/// The words in pictures by tesseract(1).
enum RecognitionTools {
    /// Pixels of the longer side: A4 with 200 dots per inch, with which the characters of a letter are told apart.
    private static let pixels = 2340
    /// Pixels of the longer side of pictures, which may be photographs of a page with a margin.
    private static let picturePixels = 3500

    /// - Parameter languages: nil for the usual ones. Throws `noTool` where one is not installed.
    static func text(
        _ job: ToolJob, page: Int, _ languages: [RecognitionLanguage]?
    ) throws(ToolError) -> [UInt8] {
        guard page >= 1 else { throw .failure(.unsupported) }
        guard let languages = Self.languages(languages) else { throw .failure(.noTool) }
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

    private static let folders = [
        "/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata", "/usr/share/tessdata",
    ]
    private static let ending = ".traineddata"

    /// The models that this machine has.
    static var installedLanguages: [RecognitionLanguage] {
        let names = Set(folders.flatMap { (try? DiskDirectory.names(in: $0)) ?? [] })
        return names.filter { $0.hasSuffix(ending) }.sorted().compactMap {
            RecognitionLanguage(String($0.dropLast(ending.utf8.count)))
        }
    }

    /// Languages as tesseract(1) takes them; nil where one of those that are wanted, or of the usual ones each, is
    /// missing.
    private static func languages(_ wanted: [RecognitionLanguage]?) -> String? {
        let installed = installedLanguages
        let all = wanted ?? RecognitionLanguage.usual(of: installed)
        guard !all.isEmpty, all.allSatisfy(installed.contains) else { return nil }
        return all.map(\.name).joined(separator: "+")
    }
}
