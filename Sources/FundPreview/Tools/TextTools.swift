import FundCore

/// Text files: UTF-8 and UTF-16 here, other encodings by iconv(1), HTML by w3m(1).
enum TextTools {
    /// Limit of the file, whose text is cut off.
    private static let maxFileBytes = 2 * TextOutput.maxBytes

    static func text(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        switch job.conversion.type {
        case .html: return try html(job)
        case .calendar, .card: return ContentLines.text(of: TextOutput.clean(try written(job).text))
        default: return try written(job).text
        }
    }

    /// The text as it stands in the file, in UTF-8; whole unless the file goes on behind what was read of it.
    static func written(_ job: ToolJob) throws(ToolError) -> (text: [UInt8], isWhole: Bool) {
        let file = FileWindow(descriptor: job.input)
        let bytes = file.bytes(at: 0, count: maxFileBytes)
        let isWhole = file.size <= maxFileBytes
        switch TextEncoding.of(bytes, isWhole: isWhole) {
        case .utf8: return (bytes, isWhole)
        case .utf16Little: return (TextEncoding.utf16(bytes) { UInt16($0) | UInt16($1) << 8 }, isWhole)
        case .utf16Big: return (TextEncoding.utf16(bytes) { UInt16($0) << 8 | UInt16($1) }, isWhole)
        case .legacy(let name): return (try converted(job, from: name), isWhole)
        case nil: throw .failure(.damaged)
        }
    }

    /// `-c`: what cannot be converted is left out; the status says so, and does not matter.
    private static func converted(_ job: ToolJob, from name: String) throws(ToolError) -> [UInt8] {
        let words: [SandboxCommand.Word] = ["-c", "-f", .text(name), "-t", "UTF-8", .input]
        let command = SandboxCommand(program: "/usr/bin/iconv", arguments: words, limits: ToolLimits.text)
        return try job.output(of: command, needing: ["iconv"], isPartWelcome: true)
    }

    private static func html(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        let words: [SandboxCommand.Word] = ["-dump", "-T", "text/html", "-O", "UTF-8", "-cols", "120", .input]
        let command = SandboxCommand(program: "/usr/bin/w3m", arguments: words, limits: ToolLimits.text)
        return try job.output(of: command, needing: ["w3m"], isPartWelcome: true)
    }
}
