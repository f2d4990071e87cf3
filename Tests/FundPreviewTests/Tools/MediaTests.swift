import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct MediaTests {
    @Test(arguments: [
        ("a.mp4", TrueType.mp4), ("a.mov", .quicktime), ("a.mkv", .matroska), ("a.avi", .avi), ("a.mpg", .mpegVideo),
    ])
    func videosHaveADurationAndAPoster(_ name: String, _ type: TrueType) async throws {
        let folder = try SampleFolder()
        let path = try folder.make(
            name, "ffmpeg", ["-f", "lavfi", "-i", "testsrc=s=640x360:r=25:d=2", "-pix_fmt", "yuv420p", "OUT"])
        let file = try SampleFile(path: path)
        let info = try #require(try await Outcome.of(.info, file).info)
        #expect(info.type == type && info.width == 640 && info.height == 360)
        #expect((1800...2200).contains(info.milliseconds ?? 0))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file) == .picture(width: 480, height: 270))
    }

    @Test(arguments: [("a.mp3", TrueType.mp3), ("a.wav", .wav), ("a.flac", .flac), ("a.ogg", .ogg), ("a.m4a", .m4a)])
    func audioHasADuration(_ name: String, _ type: TrueType) async throws {
        let folder = try SampleFolder()
        let path = try folder.make(name, "ffmpeg", ["-f", "lavfi", "-i", "sine=d=2", "OUT"])
        let file = try SampleFile(path: path)
        let info = try #require(try await Outcome.of(.info, file).info)
        #expect(info.type == type && info.width == nil)
        #expect((1900...2200).contains(info.milliseconds ?? 0))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file) == .failed(.unsupported))
    }

    /// Half a second of silence, then a tone, of two channels.
    @Test(arguments: ["a.mp3", "a.wav", "a.flac", "a.ogg", "a.m4a"])
    func audioHasPeaks(_ name: String) async throws {
        let folder = try SampleFolder()
        let path = try folder.make(
            name, "ffmpeg",
            ["-f", "lavfi", "-i", "sine=d=1:f=440", "-af", "volume=6,adelay=1000:all=1", "-ac", "2", "OUT"])
        for converter in [TestConverter.best, TestConverter.landlock] {
            guard case .waveform(let waveform) = try await Outcome.of(.waveform, SampleFile(path: path), by: converter)
            else {
                Issue.record("no waveform of \(name)")
                return
            }
            #expect(waveform.peaks.count == Waveform.maxPeaks)
            #expect(waveform.peaks[20..<360].allSatisfy { $0 <= 2 } && waveform.peaks[440..<760].allSatisfy { $0 > 20 })
        }
    }

    @Test func audioThatCannotBePlayedSaysWhy() async throws {
        let folder = try SampleFolder()
        // A sound whose beginning can be played.
        let path = try folder.make("a.mp3", "ffmpeg", ["-f", "lavfi", "-i", "sine=d=2", "OUT"])
        let whole = Array(FileManager.default.contents(atPath: path) ?? Data())
        guard case .waveform = try await Outcome.of(.waveform, Array(whole.prefix(8000)), as: .mp3) else {
            Issue.record("the beginning is there")
            return
        }
        for type in [TrueType.mp3, .flac, .wav, .ogg, .m4a, .amr] {
            let noise = Array(whole.prefix(4)) + randomBytes(5000, seed: 7)
            let failure = try await Outcome.of(.waveform, noise, as: type)
            #expect(failure == .failed(.damaged), "\(type)")
        }
        #expect(try await Outcome.of(.waveform, [], as: .mp3) == .failed(.damaged))
        #expect(try await Outcome.of(.waveform, whole, as: .pdf) == .failed(.unsupported))
        // A film without sound.
        let film = try folder.make(
            "a.mp4", "ffmpeg", ["-f", "lavfi", "-i", "testsrc=s=64x64:d=1", "-pix_fmt", "yuv420p", "OUT"])
        #expect(try await Outcome.of(.waveform, SampleFile(path: film), as: .m4a) == .failed(.unsupported))
    }

    /// Silence packs well: some MB of a day.
    @Test func aSoundOfManyHoursIsTooLarge() async throws {
        let folder = try SampleFolder()
        let path = try folder.make(
            "a.flac", "ffmpeg", ["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "20000", "OUT"])
        #expect(try await Outcome.of(.waveform, SampleFile(path: path)) == .failed(.tooLarge))
    }

    /// FFmpeg catches the signal of its limit, and ends by itself.
    @Test func audioThatTakesTooLongRunsOutOfTime() async throws {
        let folder = try SampleFolder()
        let path = try folder.make(
            "a.flac", "ffmpeg", ["-f", "lavfi", "-i", "anoisesrc=r=192000:d=30:a=0.1", "-ac", "8", "OUT"])
        var limits = ToolLimits.sound
        limits.processorSeconds = 1
        let command = SandboxCommand(
            program: "/usr/bin/ffmpeg",
            arguments: [
                // With one thread, as peaks are made: by several, the limit is reached before so much time has passed.
                "-nostdin", "-threads", "1", "-v", "error", "-stream_loop", "200", "-i", .input, "-f", "null", "-",
            ],
            limits: limits)
        let file = try SampleFile(path: path)
        let job = ToolJob(
            conversion: Conversion(.waveform, of: .flac),
            sandbox: Sandbox(executable: ConverterProgram.path), input: file.descriptor)
        #expect(throws: ToolError.failure(.timedOut)) { try job.output(of: command, needing: ["ffmpeg"]) }
    }

    @Test func listsOfOtherFilesAreNotFollowed() async throws {
        let list = Array("#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:///etc/passwd\n".utf8)
        #expect(try await Outcome.of(.info, list, as: .mp4) == .failed(.damaged))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), list, as: .mp4) == .failed(.damaged))
    }
}
