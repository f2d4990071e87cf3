import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

@Suite(.startsPrograms) struct PictureTests {
    /// Made by libvips and FFmpeg from a picture of 1000 × 600 with a gradient.
    private static let formats: [(String, TrueType)] = [
        ("a.jpg", .jpeg), ("a.png", .png), ("a.gif", .gif), ("a.tif", .tiff), ("a.webp", .webp),
    ]

    private func make(_ name: String, in folder: SampleFolder, _ width: Int = 1000, _ height: Int = 600) throws
        -> SampleFile
    {
        let source = try folder.make("source.png", "vips", ["grey", "OUT", "\(width)", "\(height)", "--uchar"])
        return try SampleFile(path: try folder.make(name, "vips", ["copy", source, "OUT"]))
    }

    @Test func eachFormatBecomesASmallPicture() async throws {
        let folder = try SampleFolder()
        for (name, type) in Self.formats {
            let file = try make(name, in: folder)
            var info = FileInfo(type, 1000, 600)
            if type == .tiff { info.pageCount = 1 }
            #expect(try await Outcome.of(.info, file) == .info(info))
            #expect(
                try await Outcome.of(.picture(pixels: 480, page: 1), file) == .picture(width: 480, height: 288),
                "\(name)")
            #expect(try await Outcome.of(.picture(pixels: 480, page: 2), file) == .failed(.unsupported))
            #expect(try await Outcome.of(.text, file) == .failed(.unsupported))
        }
        let bitmap = try folder.make(
            "a.bmp", "ffmpeg", ["-f", "lavfi", "-i", "testsrc=s=1000x600", "-frames:v", "1", "OUT"])
        #expect(try await Outcome.of(.info, SampleFile(path: bitmap)) == .info(FileInfo(.bmp, 1000, 600)))
        #expect(
            try await Outcome.of(.picture(pixels: 480, page: 1), SampleFile(path: bitmap))
                == .picture(width: 480, height: 288))
    }

    @Test func picturesAreTurnedAndNeverEnlarged() async throws {
        let folder = try SampleFolder()
        let file = try make("small.png", in: folder, 100, 50)
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), file) == .picture(width: 100, height: 50))
        let jpeg = try Data(
            contentsOf: URL(fileURLWithPath: folder.make("a.jpg", "vips", ["grey", "OUT", "100", "50", "--uchar"])))
        let turned = SampleJPEG.turned(Array(jpeg), orientation: 6)
        #expect(try await Outcome.of(.info, turned) == .info(FileInfo(.jpeg, 50, 100)))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), turned) == .picture(width: 50, height: 100))
    }

    @Test func picturesThatAreTooLargeOrBroken() async throws {
        let folder = try SampleFolder()
        // 30,000 × 30,000 pixels in 110 KB.
        let black = try folder.make("bomb.png", "vips", ["black", "OUT[bitdepth=1]", "30000", "30000"])
        let bomb = try SampleFile(path: black)
        #expect(try await Outcome.of(.info, bomb) == .info(FileInfo(.png, 30000, 30000)))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), bomb) == .failed(.tooLarge))
        let broken: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + randomBytes(4000, seed: 2)
        #expect(try await Outcome.of(.info, broken) == .failed(.damaged))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 1), broken) == .failed(.damaged))
        #expect(try await Outcome.of(.picture(pixels: 480, page: 2), bomb) == .failed(.unsupported))
    }

    @Test func drawings() async throws {
        let drawing = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 80 60'><rect width='40' height='60'/></svg>"
        #expect(try await Outcome.of(.info, Array(drawing.utf8)) == .info(FileInfo(.svg, 80, 60)))
        #expect(
            try await Outcome.of(.picture(pixels: 480, page: 1), Array(drawing.utf8))
                == .picture(width: 480, height: 360))
        let sized = "<svg xmlns='http://www.w3.org/2000/svg' width='10mm' height=\"2in\"/>"
        #expect(try await Outcome.of(.info, Array(sized.utf8)) == .info(FileInfo(.svg, 38, 192)))
    }

    /// A kill as by the kernel for want of memory, on a machine that is so busy that the time of its limit has passed:
    /// the program has not used that.
    @Test func aProgramThatIsKilledHasCrashed() async throws {
        let drawing = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'><rect width='9' height='9'/></svg>"
        // No other test asks for this size of a drawing.
        let words = ["rsvg-convert", "--keep-aspect-ratio", "-w", "2560", ""].joined(separator: "\0")
        for converter in [TestConverter.best, TestConverter.landlock] {
            let killing = Task.detached {
                let limit = ContinuousClock.now + .seconds(60)
                var tool: Int32?
                while tool == nil, .now < limit {
                    tool = RunningProcesses.with(words).first { RunningProcesses.isOwn($0) }
                }
                guard let tool else { return false }
                kill(tool, SIGSTOP)
                // The time of another process: its limit has to pass while it does nothing.
                try await Task.sleep(for: .seconds(Double(ToolLimits.vector.processorSeconds) + 0.5))
                return kill(tool, SIGKILL) == 0
            }
            let outcome = try await Outcome.of(.picture(pixels: 2560, page: 1), Array(drawing.utf8), by: converter)
            #expect(try await killing.value)
            #expect(outcome == .failed(.crashed))
        }
    }

    /// A billion characters by entities, 10⁸ circles by references, and a file of the machine.
    @Test func drawingsThatAreBombs() async throws {
        let entities = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        let laugh =
            "<!DOCTYPE svg [<!ENTITY e0 \"ha\">\(entities)]>"
            + "<svg xmlns='http://www.w3.org/2000/svg'><text>&e9;</text></svg>"
        let uses = (1...8).map { level in
            "<g id='g\(level)'>\(String(repeating: "<use href='#g\(level - 1)'/>", count: 10))</g>"
        }.joined()
        let circles =
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'>"
            + "<defs><circle id='g0' r='1'/>\(uses)</defs><use href='#g8'/></svg>"
        for bomb in [laugh, circles] {
            #expect(TrueType.of(beginning: Array(bomb.utf8)) == .svg)
            guard case .failed(let failure) = try await Outcome.of(.picture(pixels: 480, page: 1), Array(bomb.utf8))
            else { continue }
            #expect([.damaged, .timedOut, .tooMuchMemory].contains(failure))
        }
    }
}
