import FundCore

/// Pictures by the programs of libvips.
enum PictureTools {
    /// More are not decoded: 100 megapixels.
    private static let maxPixels = 100_000_000

    static func info(_ job: ToolJob) throws(ToolError) -> FileInfo {
        // libvips reads it by a reader that it holds to be unsafe.
        if job.conversion.type == .bmp { return try MediaTools.info(job) }
        var info = FileInfo(job.conversion.type)
        if let header = PictureHeader(FileWindow(descriptor: job.input), type: info.type) {
            (info.width, info.height) = header.isTurned ? (header.height, header.width) : (header.width, header.height)
            return info
        }
        let command = SandboxCommand(
            program: "/usr/bin/vipsheader", arguments: ["-a", .input], limits: ToolLimits.picture)
        let fields = NamedLines(try job.output(of: command, needing: ["vipsheader"]), divider: .colon)
        guard let width = fields["width"].flatMap({ Int($0) }), let height = fields["height"].flatMap({ Int($0) })
        else {
            throw .failure(.damaged)
        }
        // Orientations 5 to 8 of Exif lie on their side.
        let isTurned = (5...8).contains(fields["orientation"].flatMap { Int($0) } ?? 1)
        (info.width, info.height) = isTurned ? (height, width) : (width, height)
        // Pages of other formats are moments or sizes.
        if info.type == .tiff { info.pageCount = fields["n-pages"].flatMap { Int($0) } }
        return info
    }

    /// Ends a script when the picture in `$1` has too many pixels.
    static let checkScript = """
        size="$(vipsheader "$1")"
        size="${size#*: }"
        size="${size%% *}"
        [ $((${size%x*} * ${size#*x})) -le \(maxPixels) ] || exit \(ScriptStatus.tooLarge)
        """

    /// `$3` is the page for the reader, in brackets, or nothing; `$4` says that the size was checked. The output stands
    /// beside the input unless its path is absolute. Without a profile it has the colours of sRGB.
    private static let script = """
        set -e
        if [ -z "$4" ]; then
        \(checkScript)
        fi
        vipsthumbnail "$1$3" --size "$2x$2>" --export-profile srgb -o "$PWD/picture.webp[Q=80,strip,profile=none]"
        cat picture.webp
        """

    static func picture(_ job: ToolJob, pixels: Int, page: Int) throws(ToolError) -> [UInt8] {
        guard page == 1 || job.conversion.type == .tiff else { throw .failure(.unsupported) }
        if job.conversion.type == .bmp { return try MediaTools.poster(job, pixels: pixels) }
        let header = PictureHeader(FileWindow(descriptor: job.input), type: job.conversion.type)
        if let header, header.width > maxPixels / header.height { throw .failure(.tooLarge) }
        let reader = page == 1 ? "" : "[page=\(page - 1)]"
        let values = ["\(pixels)", reader, header == nil ? "" : "checked"]
        let command = SandboxCommand.script(script, values, limits: ToolLimits.picture)
        return try job.output(of: command, needing: ["vipsheader", "vipsthumbnail"])
    }
}
