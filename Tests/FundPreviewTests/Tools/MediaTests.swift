import FundCore
import Testing

@testable import FundPreview

@Suite struct MediaTests {
    @Test(arguments: [
        ("a.mp4", TrueType.mp4), ("a.mov", .quicktime), ("a.mkv", .matroska), ("a.avi", .avi), ("a.mpg", .mpegVideo),
    ])
    func videosHaveADurationAndAPoster(_ name: String, _ type: TrueType) async throws {
        let folder = try SampleFolder()
        let path = try folder.make(
            name, "ffmpeg", ["-f", "lavfi", "-i", "testsrc=s=640x360:r=25:d=2", "-pix_fmt", "yuv420p", "OUT"])
        let file = try SampleFile(path: path)
        guard case .info(let info) = try await Outcome.of(.info, file) else {
            Issue.record("no info")
            return
        }
        #expect(info.type == type && info.width == 640 && info.height == 360)
        #expect((1800...2200).contains(info.milliseconds ?? 0))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file) == .picture(width: 480, height: 270))
    }

    @Test(arguments: [("a.mp3", TrueType.mp3), ("a.wav", .wav), ("a.flac", .flac), ("a.ogg", .ogg), ("a.m4a", .m4a)])
    func audioHasADuration(_ name: String, _ type: TrueType) async throws {
        let folder = try SampleFolder()
        let path = try folder.make(name, "ffmpeg", ["-f", "lavfi", "-i", "sine=d=2", "OUT"])
        let file = try SampleFile(path: path)
        guard case .info(let info) = try await Outcome.of(.info, file) else {
            Issue.record("no info")
            return
        }
        #expect(info.type == type && info.width == nil)
        #expect((1900...2200).contains(info.milliseconds ?? 0))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file) == .failed(.unsupported))
    }

    @Test func listsOfOtherFilesAreNotFollowed() async throws {
        let list = Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n".utf8)
        #expect(try await Outcome.of(.info, list, as: .mp4) == .failed(.damaged))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), list, as: .mp4) == .failed(.damaged))
    }
}
