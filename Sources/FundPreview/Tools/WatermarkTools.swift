import FundCore

/// Pictures with a text over all of them, by vips(1). The input is a picture, and behind it the drawing of the text.
/// rsvg-convert(1) makes a picture of that: libvips reads SVG by a reader that it holds to be unsafe.
enum WatermarkTools {
    /// `$2` is the number of bytes of the picture.
    private static let script = """
        set -e
        head -c "$2" "$1" > picture.webp
        tail -c "+$(($2 + 1))" "$1" | rsvg-convert -f png > mark.png
        vips composite2 "$PWD/picture.webp" "$PWD/mark.png" "$PWD/marked.webp[Q=75,strip,effort=2]" over
        cat marked.webp
        """

    static func picture(_ job: ToolJob, pictureBytes: Int) throws(ToolError) -> [UInt8] {
        guard pictureBytes > 0 else { throw .failure(.unsupported) }
        let command = SandboxCommand.script(script, ["\(pictureBytes)"], limits: ToolLimits.picture)
        return try job.output(of: command, needing: ["vips", "rsvg-convert"])
    }
}
