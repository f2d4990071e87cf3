import TestSupport
import Testing

@testable import FundCore

/// Against CaseFolding.txt (Unicode), statuses C and F.
@Suite struct CaseFoldingTests {
    @Test(arguments: [
        ("ABC xyz 1", "abc xyz 1"), ("Stra\u{DF}e", "strasse"), ("STRA\u{1E9E}E", "strasse"), ("\u{FB03}", "ffi"),
        ("\u{3A3}\u{3C3}\u{3C2}", "\u{3C3}\u{3C3}\u{3C3}"), ("\u{130}", "i\u{307}"), ("k\u{131}z", "k\u{131}z"),
        ("I", "i"),
        ("\u{C4}\u{D6}", "\u{E4}\u{F6}"), ("\u{41F}\u{420}", "\u{43F}\u{440}"),
        ("\u{1C4}\u{1C5}\u{1C6}", "\u{1C6}\u{1C6}\u{1C6}"),
        ("\u{3F4}", "\u{3B8}"), ("\u{5831}\u{544A}", "\u{5831}\u{544A}"), ("\u{10400}", "\u{10428}"),
    ])
    func folds(_ text: String, _ folded: String) {
        #expect(Array(text.caseFolded.unicodeScalars) == Array(folded.unicodeScalars))
        #expect(text.unicodeScalars.map(\.caseFolded).joined() == folded)
    }

    @Test func everythingIsFoldedOnce() {
        let scalars = (UInt32(0)...0x1FFFF).compactMap { Unicode.Scalar($0) }
        #expect(scalars.filter { $0.caseFolded.caseFolded != $0.caseFolded } == [])
    }
}
