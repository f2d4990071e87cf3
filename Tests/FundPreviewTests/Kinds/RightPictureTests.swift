import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

/// That a picture shows what is in the file: of each kind a sample with the same pattern, whose hash is known.
@Suite(.startsPrograms) struct RightPictureTests {
    /// Limit of differing bits, of 64. Other pictures differ in about 32.
    private static let maxDistance = 4

    private func picture(
        of bytes: [UInt8], _ type: TrueType, pixels: Int = 480, page: Int = 1
    ) async throws -> DecodedPicture {
        let file = try SampleFile(bytes)
        try #require(TrueType.of(descriptor: file.descriptor) == type)
        let made = try await TestConverter.best.convert(
            Conversion(.picture(pixels: pixels, page: page), of: type), of: file.descriptor)
        guard case .picture(let webp, let width, let height) = made else { throw RenditionFailure.damaged }
        let picture = try DecodedPicture(webp: webp)
        #expect(picture.width == width && picture.height == height)
        return picture
    }

    private func expectPattern(_ picture: DecodedPicture, _ name: String, hash: UInt64 = BlockPattern.hash) {
        #expect((479...480).contains(picture.width) && (425...427).contains(picture.height), "\(name)")
        #expect(picture.distance(to: hash, of: picture.whole) <= Self.maxDistance, "\(name)")
    }

    @Test(arguments: [
        ("a.jpg", TrueType.jpeg, []), ("a.png", .png, []), ("a.gif", .gif, []), ("a.tif", .tiff, []),
        ("a.webp", .webp, []), ("a.avif", .avif, ["--compression", "av1"]),
        ("a.heic", .heic, ["--compression", "hevc"]),
    ])
    func pictures(_ name: String, _ type: TrueType, _ options: [String]) async throws {
        let (folder, pattern) = try written()
        let save = options.isEmpty ? "copy" : "heifsave"
        let path: String
        do { path = try folder.make(name, "vips", [save, pattern, "OUT"] + options) } catch {
            // Few machines can write HEIC, whose encoder is under patents.
            #expect(type == .heic)
            return
        }
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        expectPattern(try await picture(of: bytes, type), name)
        // On its side, with a tag that says so, it stands upright in the picture.
        guard type == .jpeg else { return }
        let turned = try folder.make("turned.png", "vips", ["rot", pattern, "OUT", "d270"])
        let jpeg = try Data(
            contentsOf: URL(fileURLWithPath: folder.make("turned.jpg", "vips", ["copy", turned, "OUT"])))
        expectPattern(try await picture(of: SampleJPEG.turned(Array(jpeg), orientation: 6), type), "turned")
    }

    @Test func bitmapsAndVideos() async throws {
        let (folder, pattern) = try written()
        let film = ["-loop", "1", "-i", pattern, "-t", "1", "-pix_fmt", "yuv420p", "OUT"]
        for (name, type, words) in [
            ("a.bmp", TrueType.bmp, ["-i", pattern, "OUT"]), ("a.mp4", .mp4, film), ("a.mkv", .matroska, film),
        ] {
            let path = try folder.make(name, "ffmpeg", words)
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            expectPattern(try await picture(of: bytes, type), name)
        }
    }

    @Test func drawingsAndPages() async throws {
        expectPattern(try await picture(of: BlockPattern.svg(), .svg), "svg")
        expectPattern(try await picture(of: SamplePDF.pattern(), .pdf), "pdf")
        let large = try await picture(of: SamplePDF.pattern(), .pdf, pixels: 1600)
        #expect((1598...1600).contains(large.width))
        #expect(large.distance(to: BlockPattern.hash, of: large.whole) <= Self.maxDistance)
        // The other way round it is another picture.
        #expect(large.distance(to: ~BlockPattern.hash, of: large.whole) > 50)
    }

    @Test(
        .enabled(if: ConverterProgram.has("soffice")),
        arguments: [TrueType.odt, .ods, .odp, .docx, .xlsx, .pptx, .doc, .xls, .ppt])
    func officeDocuments(_ type: TrueType) async throws {
        let file = try SampleFile(try #require(try OfficeSamples.made.get()[type]))
        try #require(TrueType.of(descriptor: file.descriptor) == type)
        let pdf = try await TestConverter.best.document(of: file, as: type)
        #expect(try await Outcome.of(.info, pdf).info?.pageCount == 2)
        let first = try await picture(of: pdf, .pdf, pixels: 1600)
        let box = try #require(first.filled)
        #expect(first.distance(to: BlockPattern.hash, of: box) <= Self.maxDistance)
        // Nine blocks wide and eight high.
        #expect(abs(box.columns.count * 8 - box.rows.count * 9) < 60)
        // A line of text on white.
        let second = try await picture(of: pdf, .pdf, pixels: 1600, page: 2)
        #expect((0.0001...0.2).contains(second.inkShare), "\(second.inkShare)")
        let text = try #require(try await Outcome.of(.text, file).text)
        #expect(text.contains("Kapitalabruf"), "\(text)")
        #expect(text.contains("基金"), "\(text)")
    }

    private func written() throws -> (SampleFolder, pattern: String) {
        let folder = try SampleFolder()
        let path = "\(folder.path)/pattern.pgm"
        try Data(BlockPattern.pgm()).write(to: URL(fileURLWithPath: path))
        return (folder, path)
    }
}
