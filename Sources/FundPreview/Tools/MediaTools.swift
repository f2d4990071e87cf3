import FundCore

/// Audio and video, and bitmaps of Windows, by the programs of FFmpeg.
enum MediaTools {
    /// The readers that FFmpeg may choose from: none that opens other files or addresses, as those of lists do.
    private static let readers = "mov,matroska,avi,mpeg,mpegts,mpegvideo,bmp_pipe,mp3,aac,flac,wav,w64,ogg,amr"
    private static let caution: [SandboxCommand.Word] = [
        "-v", "error", "-protocol_whitelist", "file", "-format_whitelist", .text(readers),
    ]

    static func info(_ job: ToolJob) throws(ToolError) -> FileInfo {
        var info = FileInfo(job.conversion.type)
        let wanted =
            "format=duration:stream=codec_type,width,height:stream_disposition=attached_pic"
            + ":stream_tags=rotate:stream_side_data=rotation"
        let words = caution + ["-show_entries", .text(wanted), "-of", "compact", .input]
        let command = SandboxCommand(program: "/usr/bin/ffprobe", arguments: words, limits: ToolLimits.media)
        let lines = try job.output(of: command, needing: ["ffprobe"]).split(separator: .lf).map { line in
            NamedLines(line.map { $0 == UInt8(ascii: "|") ? .lf : $0 }, divider: .equals)
        }
        let duration = lines.lazy.compactMap { $0["duration"].flatMap { Double($0) } }.first
        if let duration, duration >= 0, duration < 1e9 { info.milliseconds = Int64((duration * 1000).rounded()) }
        let picture = lines.first { $0["codec_type"] == "video" && $0["disposition:attached_pic"] != "1" }
        if let picture, info.type.family != .audio, let width = picture["width"].flatMap({ Int($0) }),
            let height = picture["height"].flatMap({ Int($0) }), width > 0, height > 0
        {
            if info.type == .bmp { info.milliseconds = nil }
            let turn = picture["tag:rotate"] ?? picture["side_datum/display_matrix:rotation"] ?? picture["rotation"]
            let isTurned = turn.flatMap { Int($0) }.map { $0 % 180 != 0 } ?? false
            (info.width, info.height) = isTurned ? (height, width) : (width, height)
        }
        return info
    }

    /// The first picture that can be decoded alone. Others are not decoded on the way to it.
    static func poster(_ job: ToolJob, pixels: Int) throws(ToolError) -> [UInt8] {
        let size = "scale=w='min(\(pixels),iw)':h='min(\(pixels),ih)':force_original_aspect_ratio=decrease"
        let words: [SandboxCommand.Word] =
            ["-nostdin", "-threads", "1", "-skip_frame", "nokey"] + caution + ["-i", .input, "-map", "0:V:0"]
            + ["-frames:v", "1", "-vf", .text(size), "-c:v", "libwebp", "-quality", "80", "-f", "image2pipe", "pipe:1"]
        let command = SandboxCommand(program: "/usr/bin/ffmpeg", arguments: words, limits: ToolLimits.media)
        return try job.output(of: command, needing: ["ffmpeg"])
    }

    /// Samples a second that peaks are taken of: more than a page can show, and 1.3 s for half an hour of MP3.
    private static let samplingRate = 4000

    static func waveform(_ job: ToolJob) throws(ToolError) -> Waveform {
        let words: [SandboxCommand.Word] =
            ["-nostdin", "-threads", "1"] + caution + ["-i", .input, "-map", "0:a:0", "-ac", "1"]
            + ["-ar", .text("\(samplingRate)"), "-c:a", "pcm_s8", "-f", "s8", "pipe:1"]
        let command = SandboxCommand(program: "/usr/bin/ffmpeg", arguments: words, limits: ToolLimits.sound)
        guard let waveform = Waveform(samples: try job.output(of: command, needing: ["ffmpeg"])) else {
            throw .failure(.damaged)
        }
        return waveform
    }
}
