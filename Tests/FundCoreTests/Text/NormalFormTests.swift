import Foundation
import TestSupport
import Testing

@testable import FundCore

@Suite struct NormalFormTests {
    private func scalars(_ text: String) -> [UInt32] { text.unicodeScalars.map(\.value) }

    @Test(arguments: [
        ("abc", "abc", "abc", "abc"), ("e\u{301}", "\u{E9}", "\u{E9}", "e\u{301}"),
        ("\u{FF26}\u{FB01}", "\u{FF26}\u{FB01}", "Ffi", "\u{FF26}\u{FB01}"),
        ("a\u{301}\u{316}", "\u{E1}\u{316}", "\u{E1}\u{316}", "a\u{316}\u{301}"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}"),
    ])
    func forms(_ text: String, _ nfc: String, _ nfkc: String, _ nfd: String) {
        #expect(scalars(text.nfc) == scalars(nfc))
        #expect(scalars(text.nfkc) == scalars(nfkc))
        #expect(scalars(text.nfd) == scalars(nfd))
    }

    @Test func runsOfMarksAreBroken() {
        let thirty = "e" + String(repeating: "\u{301}", count: 30)
        #expect(scalars(thirty.streamSafe) == scalars(thirty))
        let more = thirty + "\u{316}\u{316}x"
        #expect(scalars(more.streamSafe) == scalars(thirty + "\u{34F}\u{316}\u{316}x"))
        for text in [marks(1000), "x" + marks(61) + "y" + marks(62), String(repeating: "\u{FF9E}", count: 100)] {
            #expect(longestRun(text.streamSafe) <= 30)
            #expect(scalars(text.streamSafe).filter { $0 != 0x34F } == scalars(text))
        }
    }

    private func longestRun(_ text: String) -> Int {
        var (run, longest) = (0, 0)
        for scalar in text.unicodeScalars {
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered || scalar == "\u{FF9E}"
            run = isMark ? run + 1 : 0
            longest = max(longest, run)
        }
        return longest
    }

    /// A quarter of a million marks took more than a minute, now a tenth of a second.
    @Test func longRunsCostLittle() {
        let text = marks(250_000)
        #expect(processorTime { _ = text.nfc } < .seconds(3))
        #expect(processorTime { _ = text.nfkc } < .seconds(3))
        #expect(processorTime { _ = text.nfd } < .seconds(3))
    }

    /// Foundation's mappings are quadratic.
    @Test func nothingElseNormalises() throws {
        let sources = PackageRoot.path + "/Sources"
        let files = try #require(FileManager.default.enumerator(atPath: sources)).compactMap { $0 as? String }
            // The client stands apart, and normalises names of files, which are short.
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("FundClient/") }
        #expect(files.count > 200)
        // Bytes are compared: a search in text looks for whole characters.
        let names = ["posedStringWith", "applyingTransform", "folding(options"].map { Data($0.utf8) }
        let users = try files.filter { file in
            let text = try Data(contentsOf: URL(filePath: "\(sources)/\(file)"))
            return names.contains { text.range(of: $0) != nil }
        }
        #expect(users == ["FundCore/Text/String+normalForms.swift"])
    }
}
