import FundPreview

extension ConfigurationDecoder {
    /// A few hundred previews at least, and at most a petabyte.
    static let previewByteRange: ClosedRange<Int64> = 10_000_000...1_000_000_000_000_000
    /// Each takes its time on each page.
    private static let maxLanguages = 5
    /// Range of the limit for recognised pages of one file.
    private static let recognisedPageRange = 1...500

    /// Nil for `off`.
    func previews(_ node: ConfigurationNode) throws -> PreviewConfiguration? {
        if (try? node.string()) == "off" { return nil }
        let values = try node.mapping(["disk", "socket", "ocr"])
        var previews = PreviewConfiguration()
        if let disk = values["disk"] { previews.diskBytes = try disk.byteCount(in: Self.previewByteRange) }
        if let socket = values["socket"] { previews.socket = path(try socket.text()) }
        if let recognition = values["ocr"] { previews.recognition = try self.recognition(recognition) }
        return previews
    }

    /// Nil for `off`. Whether the languages are installed is known where the converters run: `doctor` asks there.
    private func recognition(_ node: ConfigurationNode) throws -> RecognitionSettings? {
        if (try? node.string()) == "off" { return nil }
        let values = try node.mapping(["languages", "pages"])
        var settings = RecognitionSettings()
        if let list = values["languages"] {
            var languages: [RecognitionLanguage] = []
            for item in try list.list() {
                guard let language = RecognitionLanguage(try item.text()) else {
                    throw item.error("must be a language as tesseract names it: chi_sim, eng, deu")
                }
                guard !languages.contains(language) else { throw item.error("is given twice") }
                languages.append(language)
            }
            guard (1...Self.maxLanguages).contains(languages.count) else {
                throw list.error("must be 1 to \(Self.maxLanguages) languages, as in [chi_sim, eng]; or write ocr: off")
            }
            settings.languages = languages
        }
        if let pages = values["pages"] { settings.maxPages = try pages.integer(in: Self.recognisedPageRange) }
        return settings
    }
}
