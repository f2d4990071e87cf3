import FundCore

/// Archives by bsdtar(1): the names of what is in them.
enum ArchiveTools {
    static func info(_ job: ToolJob) -> FileInfo {
        var info = FileInfo(job.conversion.type)
        if info.type == .zip { info.isEncrypted = ZipNames(FileWindow(descriptor: job.input)).isEncrypted }
        return info
    }

    /// A file that is compressed alone has no names; bsdtar would look for some in its text.
    private static let compressedScript = """
        [ "$(gzip -dc < "$1" 2>&- | head -c 262 | tail -c 5)" = ustar ] || exit \(ScriptStatus.unsupported)
        exec bsdtar -tf "$1"
        """

    static func names(_ job: ToolJob) throws(ToolError) -> [UInt8] {
        let command =
            job.conversion.type == .gzip
            ? SandboxCommand.script(compressedScript, limits: ToolLimits.text)
            : SandboxCommand(program: "/usr/bin/bsdtar", arguments: ["-tf", .input], limits: ToolLimits.text)
        return try job.output(of: command, needing: ["bsdtar"], isPartWelcome: true)
    }
}
