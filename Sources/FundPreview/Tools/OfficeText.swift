internal import ChildProcesses
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
        case .ppt:
            let text = try old(job, "catppt", [.input])
            // catppt misses the text of boxes, and LibreOffice writes no other.
            return text.contains { $0 > UInt8(ascii: " ") } || !OfficeTools.isInstalled ? text : try textOfPages(job)
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

    /// The text of the first pages, by way of PDF.
    private static func textOfPages(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        let pdf = try file(of: try OfficeTools.document(job))
        return try PDFTools.text(
            ToolJob(
                conversion: Conversion(
                    .text, of: .pdf, attempt: job.conversion.attempt, isAwaited: job.conversion.isAwaited),
                sandbox: job.sandbox,
                input: pdf.descriptor, cancellation: job.cancellation))
    }

    private static func file(of bytes: [UInt8]) throws(ToolError) -> MemoryFile {
        do throws(ProcessError) {
            let file = try MemoryFile()
            try file.write(bytes)
            return file
        } catch {
            throw .system(error)
        }
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
