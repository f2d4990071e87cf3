import TestSupport
import FundCore
import Testing

@Suite struct ASCIITests {
    /// Each predicate against all 256 bytes.
    @Test(
        arguments: [
            (ASCII.isBlank, " \t"), (ASCII.isSpace, " \t\n\u{b}\u{c}\r"), (ASCII.isDigit, "0123456789"),
            (ASCII.isUppercase, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"), (ASCII.isLowercase, "abcdefghijklmnopqrstuvwxyz"),
            (ASCII.isLetter, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            (ASCII.isAlphanumeric, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"),
            (ASCII.isVisible, String(decoding: UInt8(ascii: "!")...UInt8(ascii: "~"), as: UTF8.self)),
        ] as [(@Sendable (UInt8) -> Bool, String)])
    func classes(_ isMember: @Sendable (UInt8) -> Bool, _ members: String) {
        #expect((UInt8.min...UInt8.max).filter(isMember) == members.utf8.sorted())
    }

    @Test func namesAreThoseOfTheCharacters() {
        let named: [UInt8] = [
            .nul, .tab, .lf, .cr, .escape, .space, .quote, .percent, .apostrophe, .openParenthesis, .closeParenthesis,
            .asterisk, .plus, .comma, .hyphen, .dot, .slash, .colon, .semicolon, .lessThan, .equals, .greaterThan,
            .questionMark, .at, .backslash, .underscore, .delete,
        ]
        #expect(named == Array("\0\t\n\r\u{1B} \"%'()*+,-./:;<=>?@\\_\u{7F}".utf8))
    }

    @Test func lowerCaseLeavesOtherBytesAlone() {
        #expect(ASCII.lowercased(Array("ÄAz[@".utf8)) == "Äaz[@")
        #expect(ASCII.lowercased([0x41, 0xFF]) == "a\u{FFFD}")
    }

    @Test func hexDigits() {
        #expect("09aAfF".utf8.map(ASCII.hexValue) == [0, 9, 10, 10, 15, 15])
        #expect("/:@G`g".utf8.allSatisfy { ASCII.hexValue($0) == nil })
    }

    @Test(arguments: [("0", 0), ("007", 7), ("999999999", 999_999_999), ("", nil), ("1234567890", nil), ("-1", nil)])
    func numbers(_ text: String, _ expected: Int?) {
        #expect(ASCII.number(Array(text.utf8)[...]) == expected)
    }

    @Test(arguments: [
        ("ab", "cab", 0, 1), ("ab", "abcab", 1, 3), ("ab", "abcab", 4, nil), ("ab", "a", 0, nil), ("ab", "ab", 9, nil),
    ])
    func search(_ needle: String, _ text: String, _ start: Int, _ expected: Int?) {
        #expect(ASCII.firstIndex(of: Array(needle.utf8), in: Array(text.utf8), from: start) == expected)
    }

    @Test func trimmingStopsAtTheFirstByteThatIsNoSpace() {
        #expect(ASCII.trimmed(Array(" \t\r\n a b \n".utf8)[...]) == Array("a b".utf8)[...])
        #expect(ASCII.trimmed(Array(" \n".utf8)[...]).isEmpty)
    }
}
