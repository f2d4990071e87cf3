import TestSupport
import Testing

@testable import FundCore

@Suite struct DrawableTextTests {
    private static let mark = "\u{301}", modifier = "\u{1F3FB}"

    @Test(arguments: [
        "", "abc", "Zürich", "e\u{301}\u{316}", "ที่นี่", "हिन्दी", "한국어 漢字", "👍🏽👨‍👩‍👧", "a\u{200B}\u{200D}\u{AD}",
        "x" + String(repeating: mark, count: 128), "x" + String(repeating: modifier, count: 64),
    ])
    func isLeftAlone(_ text: String) {
        #expect(Array(text.drawable.utf8) == Array(text.utf8))
        #expect(Array("<p>\(text)</p>".drawableMarkup.utf8) == Array("<p>\(text)</p>".utf8))
    }

    @Test(arguments: [
        (String(repeating: mark, count: 129), 128), (String(repeating: modifier, count: 65), 64),
        (String(repeating: mark + "\u{200B}", count: 129), 256), (String(repeating: mark + "\u{34F}", count: 65), 128),
    ])
    func isDivided(_ marks: String, _ kept: Int) {
        let text = Array(("a" + marks + "b").unicodeScalars)
        var expected = text
        expected.insert("\u{25CC}", at: 1 + kept)
        #expect(Array(("a" + marks + "b").drawable.unicodeScalars) == expected)
    }

    /// Words of scripts that browsers join, or divide by a dictionary.
    @Test(arguments: ["\u{E01}", "\u{628}", "\u{1000}", "\u{1780}"])
    func longWordsEnd(_ letter: String) {
        let word = String(repeating: letter, count: 1000)
        #expect(Array((word + " " + word).drawable.utf8) == Array((word + " " + word).utf8))
        #expect(Array((word + word + letter).drawable.utf8) == Array("\(word)\u{200A}\(word)\u{200A}\(letter)".utf8))
        #expect(Array("\(word)<b>\(letter)</b>".drawableMarkup.utf8) == Array("\(word)<b>\u{200A}\(letter)</b>".utf8))
    }

    /// Tags bear nothing.
    @Test func isDividedAcrossTags() {
        let run = String(repeating: Self.mark, count: 100)
        let markup = "a\(run)<b></b>\(run)<i title=\"long words\">\(run)</i>"
        let divided = Array(markup.drawableMarkup.unicodeScalars)
        #expect(divided.count { $0 == "\u{25CC}" } == 2)
        #expect(divided.filter { $0 != "\u{25CC}" } == Array(markup.unicodeScalars))
        // In text they are text.
        #expect(Array("a\(run)<b></b>\(run)".drawable.utf8) == Array("a\(run)<b></b>\(run)".utf8))
    }

    @Test func hundredsOfThousandsCostLittle() {
        let text = "a" + String(repeating: Self.mark, count: 300_000)
        var count = 0
        #expect(processorTime { count = text.drawable.unicodeScalars.count } < .seconds(3))
        #expect(count == 300_001 + (300_000 - 1) / 128)
    }
}
