import FundCore
import Foundation
import TestSupport
import Testing

@testable import FundPreview

/// Files that nothing can be made of, and files that are made to take a converter too far: each has its reason, within
/// its time.
@Suite(.startsPrograms) struct RightReasonTests {
    private static let thumbnail = Conversion.Work.picture(pixels: 480, page: 1)

    @Test(arguments: TrueType.allCases) func emptyFiles(_ type: TrueType) async throws {
        for work in [Self.thumbnail, .text, .document, .recognition(page: 1)] {
            #expect(try await Outcome.of(work, [], as: type) == .failed(.damaged), "\(work)")
        }
    }

    /// The name says docx; the bytes say nothing.
    @Test func noiseIsNoDocument() async throws {
        let noise = randomBytes(100_000, seed: 7)
        #expect(try await Outcome.of(.info, noise) == .info(FileInfo(.unknown)))
        #expect(try await Outcome.of(Self.thumbnail, noise) == .failed(.unsupported))
        #expect(try await Outcome.of(.text, noise) == .failed(.unsupported))
        // soffice itself makes pages of it, after a long time: that it is no document is found out before.
        for type in [TrueType.docx, .xlsx, .odp] {
            #expect(try await Outcome.of(.text, noise, as: type) == .failed(.damaged), "\(type)")
        }
    }

    /// A package that is one, with noise for a document.
    @Test(.enabled(if: ConverterProgram.has("soffice"))) func packagesOfNoise() async throws {
        let names = ["[Content_Types].xml", "_rels/.rels", "word/document.xml"]
        let package = SampleZip.of(bytes: names.enumerated().map { ($1, randomBytes(5000, seed: UInt64($0 + 1))) })
        #expect(TrueType.of(beginning: package) == .docx)
        #expect(try await Outcome.of(.document, package) == .failed(.damaged))
    }

    /// Sizes that only a header claims.
    @Test func hugeDimensions() async throws {
        let wide = SampleZip.little16(65_535)
        let gif =
            Array("GIF89a".utf8) + wide + wide + [0x80, 0, 0, 0, 0, 0, 255, 255, 255, 0x2C, 0, 0, 0, 0]
            + wide + wide + [0, 2, 2, 0x44, 1, 0, 0x3B]
        let bitmap =
            Array("BM".utf8) + SampleZip.little32(1 << 20) + SampleZip.little32(0) + SampleZip.little32(54)
            + SampleZip.little32(40) + SampleZip.little32(60_000) + SampleZip.little32(60_000) + SampleZip.little16(1)
            + SampleZip.little16(24) + [UInt8](repeating: 0, count: 24 + 4000)
        for (bytes, type) in [(gif, TrueType.gif), (bitmap, .bmp)] {
            #expect(TrueType.of(beginning: bytes) == type)
            let outcome = try await Outcome.of(Self.thumbnail, bytes)
            #expect([.failed(.tooLarge), .failed(.damaged), .failed(.tooMuchMemory)].contains(outcome), "\(outcome)")
        }
        let page = String(decoding: SamplePDF.pattern(), as: UTF8.self)
        let huge = page.replacing("[0 0 540 480]", with: "[0 0 9e8 9e8]")
        let outcome = try await Outcome.of(Self.thumbnail, Array(huge.utf8))
        switch outcome {
        case .picture(let width, let height): #expect(width <= 480 && height <= 480)
        default: #expect([.failed(.damaged), .failed(.tooMuchMemory), .failed(.timedOut)].contains(outcome))
        }
    }

    /// Cut off in the middle: a part of a picture, or a reason.
    @Test(.enabled(if: ConverterProgram.has("soffice"))) func filesThatAreCutOff() async throws {
        for (type, bytes) in try OfficeSamples.made.get() {
            let outcome = try await Outcome.of(.document, Array(bytes[..<(bytes.count / 2)]), as: type)
            #expect([.document, .failed(.damaged)].contains(outcome), "\(type) \(outcome)")
        }
        let folder = try SampleFolder()
        let pattern = "\(folder.path)/pattern.pgm"
        try Data(BlockPattern.pgm()).write(to: URL(fileURLWithPath: pattern))
        for (name, type) in [("a.jpg", TrueType.jpeg), ("a.png", .png), ("a.tif", .tiff), ("a.webp", .webp)] {
            let path = try folder.make(name, "vips", ["copy", pattern, "OUT"])
            let bytes = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
            let outcome = try await Outcome.of(Self.thumbnail, Array(bytes[..<(bytes.count / 2)]), as: type)
            #expect([.picture(width: 480, height: 427), .failed(.damaged)].contains(outcome), "\(name) \(outcome)")
        }
    }

    /// A billion characters by entities (XML 1.0 §4.4.2), in a document of the word processor.
    @Test func entitiesInDocuments() async throws {
        let entities = (1...9).map { "<!ENTITY e\($0) \"\(String(repeating: "&e\($0 - 1);", count: 10))\">" }.joined()
        let document = SampleZip.docx(["&e9;"], before: "<!DOCTYPE x [<!ENTITY e0 \"ha\">\(entities)]>")
        let text = try #require(try await Outcome.of(.text, document).text)
        // Entities of a document are not resolved at all.
        #expect(text.utf8.count < 100)
        guard ConverterProgram.has("soffice") else { return }
        let outcome = try await Outcome.of(.document, document)
        let allowed: [Outcome] = [.document, .failed(.damaged), .failed(.timedOut), .failed(.tooMuchMemory)]
        #expect(allowed.contains(outcome), "\(outcome)")
    }

    /// Names are listed; what is behind them is not unpacked.
    @Test func zipBombs() async throws {
        let folder = try SampleFolder()
        let zeros = "\(folder.path)/zeros"
        _ = FileManager.default.createFile(atPath: zeros, contents: nil)
        truncate(zeros, 300 << 20)
        let inner = try folder.make("inner.zip", "bsdtar", ["-a", "-cf", "OUT", "zeros"])
        for number in 1...9 { try FileManager.default.copyItem(atPath: inner, toPath: "\(folder.path)/\(number).zip") }
        let outer = try folder.make("outer.zip", "bsdtar", ["-a", "-cf", "OUT"] + (1...9).map { "\($0).zip" })
        let begin = ContinuousClock.now
        let names = (1...9).map { "\($0).zip\n" }.joined()
        #expect(try await Outcome.of(.text, SampleFile(path: outer)) == .text(names))
        #expect(try await Outcome.of(.text, SampleFile(path: inner)) == .text("zeros\n"))
        #expect(ContinuousClock.now - begin < .seconds(20))
    }

    /// The reason for a file with a password is the same for each kind.
    @Test func passwords() async throws {
        #expect(try await Outcome.of(Self.thumbnail, SamplePDF.encrypted()) == .failed(.encrypted))
        let package = SampleCompoundFile.with(["EncryptionInfo", "EncryptedPackage"])
        #expect(try await Outcome.of(.document, package) == .failed(.encrypted))
        let zip = SampleZip.of([("a.txt", "x")], isEncrypted: true)
        #expect(try await Outcome.of(.info, zip) == .info(FileInfo(.zip, isEncrypted: true)))
    }

    /// Forms in forms: 12⁹ rectangles. Text is read without them, or not at all.
    @Test func formsInForms() async throws {
        let begin = ContinuousClock.now
        let outcome = try await Outcome.of(.text, SamplePDF.bomb())
        #expect([.text(""), .text("\u{C}"), .failed(.timedOut)].contains(outcome), "\(outcome)")
        #expect(ContinuousClock.now - begin < .seconds(300))
    }
}
