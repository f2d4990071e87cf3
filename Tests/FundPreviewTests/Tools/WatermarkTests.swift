import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

@Suite struct WatermarkDrawingTests {
    private static let texts = [
        ("</text><script>", "&lt;/text&gt;&lt;script&gt;"), ("\"'&<>", "&quot;'&amp;&lt;&gt;"),
        ("a\u{0}b\u{1B}[2J\u{FFFE}", "ab[2J"), ("\u{202E}evil", "\u{202E}evil"), ("]]>", "]]&gt;"), ("", ""),
    ]

    /// Text that is typed becomes letters, and nothing else of the drawing.
    @Test(arguments: texts) func textIsEscaped(_ text: String, _ escaped: String) {
        let drawing = String(decoding: Watermark(text: text).drawing(width: 100, height: 200), as: UTF8.self)
        #expect(drawing.contains("stroke\">\(escaped)</text>"), "\(drawing)")
        #expect(drawing.utf8.count { $0 == UInt8(ascii: "<") } == 9)
    }

    @Test func twoLinesStandBelowEachOther() {
        let text = Watermark(text: "eve@outside.example\n2026-11-29 192.0.2.1\nmore")
        let drawing = String(decoding: text.drawing(width: 1000, height: 1000), as: UTF8.self)
        #expect(drawing.contains("y=\"50\"") && drawing.contains("stroke\">eve@outside.example</text>"))
        #expect(drawing.contains("y=\"72\"") && drawing.contains("stroke\">2026-11-29 192.0.2.1more</text>"))
    }

    @Test func longTextIsCut() {
        let drawing = Watermark(text: String(repeating: "a", count: 10_000)).drawing(width: 100, height: 100)
        #expect(drawing.count < 1000)
    }
}

@Suite(.startsPrograms) struct WatermarkTests {
    private static func white(_ width: Int, _ height: Int) throws -> [UInt8] {
        let folder = try SampleFolder()
        let black = try folder.make("black.png", "vips", ["black", "OUT", "\(width)", "\(height)", "--bands", "3"])
        let white = try folder.make("white.webp", "vips", ["invert", black, "OUT"])
        return Array(try Data(contentsOf: URL(fileURLWithPath: white)))
    }

    /// The text stands in each part of a picture, which keeps its size and most of its ground.
    @Test func theTextStandsEverywhere() async throws {
        let picture = try Self.white(1131, 1600)
        let drawing = Watermark(text: "eve@outside.example").drawing(width: 1131, height: 1600)
        let sample = try SampleFile(picture + drawing)
        let conversion = Conversion(.marked(pictureBytes: picture.count), of: .webp)
        guard
            case .picture(let bytes, 1131, 1600) = try await TestConverter.best.convert(
                conversion, of: sample.descriptor)
        else {
            Issue.record("no picture of the same size")
            return
        }
        let decoded = try DecodedPicture(webp: bytes)
        #expect(decoded.inkShare > 0.01 && decoded.inkShare < 0.2)
        for row in 0..<4 {
            for column in 0..<3 {
                let box = DecodedPicture.Box(
                    columns: (377 * column)..<(377 * (column + 1)), rows: (400 * row)..<(400 * (row + 1)))
                #expect(decoded.inkShare(of: box) > 0.003, "\(box)")
            }
        }
    }

    @Test func whatIsNoPictureIsNotMarked() async throws {
        let picture = try Self.white(100, 100)
        for (input, count) in [(picture, 0), (picture, picture.count + 10), (Array("no picture".utf8), 4)] {
            let outcome = try await Outcome.of(.marked(pictureBytes: count), input, as: .webp)
            guard case .failed = outcome else {
                Issue.record("\(outcome)")
                continue
            }
        }
    }
}
