import Testing

@testable import MailConnection
@testable import MailFetch

@Suite struct POP3SessionTests {
    private func unstuff(_ text: String, pieceBytes: Int) -> (text: String, isComplete: Bool, taken: Int) {
        var unstuffing = DotUnstuffing()
        var plain: [UInt8] = []
        var taken = 0
        let bytes = Array(text.utf8)
        while taken < bytes.count, !unstuffing.isComplete {
            let piece = Array(bytes[taken..<min(bytes.count, taken + pieceBytes)])
            let count = piece.withUnsafeBytes { chunk in
                (try? unstuffing.feed(chunk) { emitted throws(ConnectionError) in plain.append(contentsOf: emitted) })
                    ?? 0
            }
            taken += count
        }
        return (String(decoding: plain, as: UTF8.self), unstuffing.isComplete, taken)
    }

    private static let bodies: [(String, String)] = [
        (".\r\n", ""),
        ("a\r\n.\r\n", "a\r\n"),
        ("\r\n.\r\n", "\r\n"),
        ("..\r\n.\r\n", ".\r\n"),
        ("...\r\n..a\r\n.b\r\n.\r\n", "..\r\n.a\r\nb\r\n"),
        ("a.\r\nb.c\r\n.\r\n", "a.\r\nb.c\r\n"),
        // bare line ends end no line
        ("a\n.\r\nb\r\n.\r\n", "a\n.\r\nb\r\n"),
        ("a\r.\r\nb\r\n.\r\n", "a\r.\r\nb\r\n"),
        ("a\r\n.\nb\r\n.\r\n", "a\r\n\nb\r\n"),
        ("a\r\n.\r.\r\n.\r\n", "a\r\n\r.\r\n"),
        ("a\r\r\n.\r\n", "a\r\r\n"),
        ("\r\r\n.\r\r\n.\r\n", "\r\r\n\r\r\n"),
    ]

    @Test(arguments: [1, 2, 3, 4, 5, 100])
    func dotsAreTakenOffHoweverTheTextIsCutUp(_ pieceBytes: Int) {
        for (stuffed, plain) in Self.bodies {
            let result = unstuff(stuffed + "+OK next\r\n", pieceBytes: pieceBytes)
            #expect(result.text == plain, "\(stuffed.debugDescription)")
            #expect(result.isComplete && result.taken == stuffed.utf8.count)
        }
    }

    @Test func onlyTheWholeEndIsTheEnd() {
        for (stuffed, _) in Self.bodies {
            for length in 0..<stuffed.utf8.count {
                #expect(
                    !unstuff(String(decoding: stuffed.utf8.prefix(length), as: UTF8.self), pieceBytes: 3).isComplete)
            }
        }
    }

    private func session(_ text: String, pieceBytes: Int = .max) -> POP3Session {
        POP3Session(
            channel: ReplayChannel(Array(text.utf8), pieceBytes: pieceBytes), deadlines: FetchDeadlines(),
            transcript: nil)
    }

    @Test(arguments: [1, 5, Int.max])
    func capabilitiesAreLearned(_ pieceBytes: Int) throws {
        let session = session("+OK list\r\nTOP\r\nSASL PLAIN XOAUTH2\r\npipelining\r\n.\r\n", pieceBytes: pieceBytes)
        try session.learnCapabilities()
        #expect(session.capabilities == ["TOP": "", "SASL": "PLAIN XOAUTH2", "PIPELINING": ""])
    }

    @Test func aServerWithoutCAPAHasNoCapabilities() throws {
        let session = session("-ERR unknown\r\n")
        try session.learnCapabilities()
        #expect(session.capabilities == nil && !session.has("PIPELINING"))
    }

    @Test(arguments: ["* OK\r\n", "\r\n", "OK\r\n", "+OKAY\r\n", "\0\r\n"])
    func whatIsNoAnswerEndsTheConnection(_ text: String) {
        let error = #expect(throws: ConnectionError.self) { _ = try session(text).status() }
        #expect(error?.code == .protocolViolation)
    }

    @Test func aLineWithoutEndIsAViolation() {
        let error = #expect(throws: ConnectionError.self) {
            _ = try session("+OK " + String(repeating: "a", count: 100_000)).status()
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test(
        arguments: [
            (["1 a", "2 b"], ["1 10", "2 20"], ["1 a 10", "2 b 20"], 0),
            (["2 b", "1 a"], ["2 20", "1 10"], ["1 a 10", "2 b 20"], 0),  // any order
            (["1 a", "2 a", "3 c"], ["1 1", "2 2", "3 3"], ["1 - 1", "2 - 2", "3 c 3"], 2),  // one name for two
            ([], ["1 1", "2 2"], ["1 - 1", "2 - 2"], 2),  // no UIDL at all
            (["1 101", "2 102", "3"], ["1 1", "2", "3 x"], ["1 101 1", "2 102 -", "3 - -"], 1),
            (["1 a b"], ["1 12 extra"], ["1 a 12"], 0),
            (["x a", "0 b", "-1 c"], [], [], 0),
            (["1 a"], ["1 9223372036854775808"], ["1 a -"], 0),
        ] as [([String], [String], [String], Int)])
    func namesAndSizesArePutTogether(_ uidl: [String], _ list: [String], _ expected: [String], _ ambiguous: Int) {
        let listing = POP3Listing(uidl: uidl.map { Array($0.utf8) }, sizes: list.map { Array($0.utf8) })
        let found = listing.entries.map { "\($0.number) \($0.uidl?.text ?? "-") \($0.size.map { "\($0)" } ?? "-")" }
        #expect(found == expected)
        #expect(listing.ambiguous == ambiguous)
    }
}
