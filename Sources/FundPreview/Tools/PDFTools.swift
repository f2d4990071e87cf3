import FundCore

/// PDF by the programs of poppler.
enum PDFTools {
    /// Pages of which the text is taken.
    private static let maxTextPages = 500

    static func info(_ job: ToolJob) throws(ToolError) -> FileInfo {
        var info = FileInfo(.pdf)
        let command = SandboxCommand(program: "/usr/bin/pdfinfo", arguments: [.input], limits: ToolLimits.pdf)
        let (bytes, failure) = try job.outcome(of: command, needing: ["pdfinfo"])
        if failure == .encrypted {
            info.isEncrypted = true
            return info
        }
        if let failure { throw .failure(failure) }
        let fields = NamedLines(bytes, divider: .colon)
        guard let pages = fields["Pages"].flatMap({ Int($0) }), pages > 0 else { throw .failure(.damaged) }
        info.pageCount = pages
        // "595.28 x 841.89 pts (A4)", before it is turned.
        let size = fields["Page size"]?.split(separator: " ").compactMap { Double($0) } ?? []
        if size.count >= 2 {
            let isTurned = ["90", "270"].contains(fields["Page rot"])
            info.width = PixelSize.whole(size[isTurned ? 1 : 0])
            info.height = PixelSize.whole(size[isTurned ? 0 : 1])
        }
        return info
    }

    /// Always to a size in pixels, never to a resolution: a page may be 200 inches wide. pdftoppm rounds up.
    private static let pictureScript = """
        set -e
        pdftoppm -f "$2" -l "$2" -scale-to "$3" -singlefile "$1" > picture
        enough="$4"
        \(SmallerWebP.script)
        """

    static func picture(_ job: ToolJob, pixels: Int, page: Int) throws(ToolError) -> [UInt8] {
        let values = ["\(page)", "\(pixels - 1)", SmallerWebP.enough(pixels: pixels)]
        let command = SandboxCommand.script(pictureScript, values, limits: ToolLimits.pdf)
        return try job.output(of: command, needing: ["pdftoppm"] + SmallerWebP.tools)
    }

    static func text(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        let words: [SandboxCommand.Word] = ["-enc", "UTF-8", "-l", .text("\(maxTextPages)"), .input, "-"]
        let command = SandboxCommand(program: "/usr/bin/pdftotext", arguments: words, limits: ToolLimits.text)
        return try job.output(of: command, needing: ["pdftotext"], isPartWelcome: true)
    }
}
