import FundCore

/// Office documents by LibreOffice.
enum OfficeTools {
    /// Pages of the PDF. A table of 10 MB has thousands.
    private static let pages = "1-20"

    static func info(_ job: ToolJob) throws(ToolError) -> FileInfo {
        var info = FileInfo(job.conversion.type)
        info.isEncrypted = try isEncrypted(job)
        return info
    }

    static var isInstalled: Bool { OfficeProfile() != nil }

    /// Cannot be read without a password.
    static func isEncrypted(_ job: ToolJob) throws(ToolError) -> Bool {
        let file = FileWindow(descriptor: job.input)
        if let compound = CompoundFile(file) { return compound.isEncrypted }
        guard [.odt, .ods, .odp].contains(job.conversion.type) else { return false }
        // OpenDocument 1.3 part 2 §3.4.1: the manifest has such an element for each encrypted file.
        let words: [SandboxCommand.Word] = ["-xOf", .input, "META-INF/manifest.xml"]
        let command = SandboxCommand(program: "/usr/bin/bsdtar", arguments: words, limits: ToolLimits.text)
        let manifest = try job.outcome(of: command, needing: ["bsdtar"]).bytes
        return ASCII.firstIndex(of: Array("encryption-data".utf8), in: manifest) != nil
    }

    /// `$2` is the program, `$3` the filter, `$4` and `$5` are files of the profile: each document has its own; `$6` is
    /// a further word for the program, or empty. 81 asks for another start, with a profile at another place: the socket
    /// of the first one may still be there.
    private static let script = """
        mkdir -p first/user/extensions out
        printf '%s' "$4" > first/user/registrymodifications.xcu
        printf '%s' "$5" > first/user/extensions/buildid
        reader=$6
        convert() {
            "$2" $reader "-env:UserInstallation=file://$PWD/$6" --headless --norestore --nologo --nodefault \\
                --nolockcheck --convert-to "$3" --outdir out "$1" > said 2>&1
        }
        convert "$1" "$2" "$3" - - first
        status=$?
        if [ $status -eq 81 ]; then
            mv first second
            convert "$1" "$2" "$3" - - second
            status=$?
        fi
        tail -c 1000 said >&2
        [ $status -eq 0 ] || exit $status
        cat out/*
        """

    /// The first pages as PDF; of HTML all of them.
    static func document(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        if try isEncrypted(job) { throw .failure(.encrypted) }
        let type = job.conversion.type
        let range = type == .html ? "" : #":{"PageRange":{"type":"string","value":"\#(pages)"}}"#
        let bytes = try converted(job, to: "pdf:\(writer(for: type))_pdf_Export\(range)")
        // The status of soffice proves nothing.
        guard bytes.starts(with: "%PDF-".utf8) else { throw .failure(.damaged) }
        return bytes
    }

    /// The text of a document of the word processor, in UTF-8.
    static func text(_ job: ToolJob) throws(ToolError) -> [UInt8] { try converted(job, to: "txt:Text (encoded):UTF8") }

    private static func converted(_ job: ToolJob, to filter: String) throws(ToolError) -> [UInt8] {
        guard let profile = OfficeProfile() else { throw .failure(.noTool) }
        // Read as a page of the web, HTML loses its first paragraph on the way to PDF (LibreOffice 7.4).
        let reader = job.conversion.type == .html ? "--writer" : ""
        let values = [profile.program, filter, profile.settings, profile.build, reader]
        var command = SandboxCommand.script(script, values, limits: ToolLimits.office)
        command.suffix = ".\(job.conversion.type.rawValue)"
        command.needsLocalSockets = true
        return try job.output(of: command, needing: ["soffice"])
    }

    private static func writer(for type: TrueType) -> String {
        switch type {
        case .xlsx, .ods, .xls: "calc"
        case .pptx, .odp, .ppt: "impress"
        default: "writer"
        }
    }
}
