import FundCore

/// The text of office documents: of XML in zip files by bsdtar(1) and `MarkupText`, of old ones by catdoc(1) and its
/// like.
enum OfficeText {
    static func text(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        if try OfficeTools.isEncrypted(job) { throw .failure(.encrypted) }
        switch job.conversion.type {
        // They write UTF-8 since the environment says so.
        case .doc: return try old(job, "catdoc", ["-w", .input])
        case .xls: return try old(job, "xls2csv", [.input])
        case .ppt: return try old(job, "catppt", [.input])
        // catdoc ignores the character sets of RTF.
        case .rtf: return try OfficeTools.text(job)
        case .docx:
            let parts = ["document", "footnotes", "endnotes", "comments", "header*", "footer*"]
            return try markup(job, parts.map { "word/\($0).xml" }, .office)
        case .xlsx: return try markup(job, ["xl/sharedStrings.xml", "xl/worksheets/sheet*.xml"], .office)
        case .pptx: return try markup(job, ["ppt/slides/slide*.xml", "ppt/notesSlides/notesSlide*.xml"], .office)
        case .odt, .ods, .odp: return try markup(job, ["content.xml"], .openDocument)
        default: throw .failure(.unsupported)
        }
    }

    private static func old(
        _ job: ToolJob, _ tool: String, _ words: [SandboxCommand.Word]
    ) throws(ToolError) -> [UInt8] {
        let command = SandboxCommand(program: "/usr/bin/\(tool)", arguments: words, limits: ToolLimits.text)
        return try job.output(of: command, needing: [tool], isPartWelcome: true)
    }

    /// The names of the parts are patterns of bsdtar. Parts that are missing do not matter, if others are there.
    private static func markup(
        _ job: ToolJob, _ parts: [String], _ vocabulary: MarkupText.Vocabulary
    ) throws(ToolError) -> [UInt8] {
        let words: [SandboxCommand.Word] = ["-xOf", .input] + parts.map { .text($0) }
        let command = SandboxCommand(program: "/usr/bin/bsdtar", arguments: words, limits: ToolLimits.markup)
        let bytes = try job.output(of: command, needing: ["bsdtar"], isPartWelcome: true)
        var text = MarkupText(vocabulary)
        return text.read(bytes)
    }
}
