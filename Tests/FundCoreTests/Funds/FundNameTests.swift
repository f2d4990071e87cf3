import TestSupport
import Testing

@testable import FundCore

@Suite struct FundNameTests {
    @Test(arguments: [
        ("Stra\u{DF}e", "STRASSE"), ("STRA\u{1E9E}E", "stra\u{DF}e"), ("STRA\u{1E9E}E", "strasse"),
        ("\u{FF26}und\u{3000}1", " fund  1 "), ("k\u{131}z", "KIZ"), ("cafe\u{301}", "CAF\u{C9}"),
    ])
    func oneKey(_ first: String, _ second: String) { #expect(FundName.key(first) == FundName.key(second)) }

    @Test(arguments: [
        (String(repeating: "x", count: 120), false), (String(repeating: "x", count: 121), true),
        (String(repeating: "\u{7530}", count: 85), false), (String(repeating: "\u{7530}", count: 86), true),
        // 80 syllables in 720 bytes, which are 240 as they are kept.
        (String(repeating: "\u{1112}\u{1161}\u{11AB}", count: 80), false), (marks(200), true), (marks(600_000), true),
    ])
    func namesAreBounded(_ name: String, _ isRefused: Bool) {
        var problem: InputProblem?
        let time = processorTime { problem = FundName.problem(with: name) }
        #expect((problem != nil) == isRefused)
        #expect(time < .milliseconds(500))
    }
}
