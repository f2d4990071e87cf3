import Testing

@testable import MailConnection
@testable import MailFetch

/// Collects bodies in memory.
final class CollectingSink: IMAPBodySink {
    private(set) var bodies: [[UInt8]] = []
    private(set) var heads: [String] = []
    var largest: UInt64 = .max

    func beginBody(uid: UID?, section: String, origin: UInt64?, size: UInt64) throws(ConnectionError) {
        guard size <= largest else { throw ConnectionError(.messageUnavailable, during: "fetching") }
        heads.append("\(uid.map { "\($0)" } ?? "?") \(section) \(origin.map { "\($0)" } ?? "-") \(size)")
        bodies.append([])
    }

    func appendBody(_ bytes: UnsafeRawBufferPointer) throws(ConnectionError) {
        bodies[bodies.count - 1].append(contentsOf: bytes)
    }
}

@Suite struct IMAPResponseReaderTests {
    /// Everything that can be read until the line ends.
    private func read(
        _ text: String, pieceBytes: Int = .max, sink: CollectingSink? = nil
    ) -> (responses: [IMAPResponse], error: ConnectionError) {
        let collecting = sink ?? CollectingSink()
        var reader = IMAPResponseReader(bytes: .over(Array(text.utf8), pieceBytes: pieceBytes))
        reader.sink = collecting
        var responses: [IMAPResponse] = []
        do throws(ConnectionError) {
            while true { responses.append(try reader.next()) }
        } catch {
            return (responses, error)
        }
    }

    private static let conversation: [(String, IMAPResponse)] = [
        (
            "* OK [CAPABILITY IMAP4rev1 IDLE] ready\r\n",
            .status(IMAPStatus(kind: .ok, code: "CAPABILITY", argument: "IMAP4rev1 IDLE", text: "ready"))
        ),
        ("* CAPABILITY IMAP4rev1 UidPlus\r\n", .capability(["IMAP4REV1", "UIDPLUS"])),
        ("* 172 EXISTS\r\n", .exists(172)),
        ("* 1 RECENT\r\n", .other("RECENT")),
        ("* 44 EXPUNGE\r\n", .expunge(44)),
        ("* SEARCH\r\n", .search([])),
        ("* SEARCH 2 84 4294967295 \r\n", .search([2, 84, 4_294_967_295])),
        ("* SEARCH 2 84 (MODSEQ 9)\r\n", .search([2, 84])),
        ("* FLAGS (\\Answered \\Seen)\r\n", .other("FLAGS")),
        (
            "* LIST (\\HasNoChildren) \"/\" {7}\r\nA \"b\" c\r\n",
            .list(IMAPFolder(attributes: ["\\HasNoChildren"], delimiter: "/", name: "A \"b\" c"))
        ),
        ("* MYRIGHTS \"In box\" lrswipte\r\n", .rights("lrswipte")),
        ("* MYRIGHTS {5}\r\nINBOX lr \r\n", .rights("lr")),
        ("* LIST () NIL INBOX\r\n", .list(IMAPFolder(attributes: [], delimiter: nil, name: "INBOX"))),
        ("* STATUS {3}\r\nab\" (MESSAGES 3)\r\n", .other("STATUS")),
        ("* NAMESPACE ((\"\" \"/\")) NIL NIL\r\n", .namespace(IMAPNamespace(delimiter: "/"))),
        (
            "* 12 FETCH (UID 5 RFC822.SIZE 44827 FLAGS (\\Seen $x))\r\n",
            .fetch(IMAPFetch(sequence: 12, uid: 5, size: 44827, flags: ["\\Seen", "$x"]))
        ),
        (
            "* 3 FETCH (FLAGS () MODSEQ (-7) X-GM \"a)\\\"(\" UID 9)\r\n",
            .fetch(IMAPFetch(sequence: 3, uid: 9, flags: []))
        ),
        (
            "* 2 FETCH (UID 7 (ENVELOPE (NIL NIL)) BODYSTRUCTURE (\"A\" NIL))\r\n",
            .fetch(IMAPFetch(sequence: 2, uid: 7))
        ),
        ("* 3 FETCH (UID 1 BODY[] NIL)\r\n", .fetch(IMAPFetch(sequence: 3, uid: 1, body: .unavailable))),
        (
            "* 3 FETCH (UID 1 BODY[] \"a\\\\b\")\r\n",
            .fetch(IMAPFetch(sequence: 3, uid: 1, body: .received(section: "BODY[]", origin: nil, size: 3)))
        ),
        (
            "* 3 FETCH (UID 1 BODY[] {0}\r\n)\r\n",
            .fetch(IMAPFetch(sequence: 3, uid: 1, body: .received(section: "BODY[]", origin: nil, size: 0)))
        ),
        (
            "* 3 FETCH (BODY[]<10> {12+}\r\nF2 OK done\r\n UID 4)\r\n",
            .fetch(IMAPFetch(sequence: 3, uid: 4, body: .received(section: "BODY[]", origin: 10, size: 12)))
        ),
        (
            "* 3 FETCH (BODY[] ~{3}\r\na\0b UID 4)\r\n",
            .fetch(IMAPFetch(sequence: 3, uid: 4, body: .received(section: "BODY[]", origin: nil, size: 3)))
        ),
        (
            "* 3 FETCH (UID 4 BODY[HEADER.FIELDS (\"A)\" B)] {2}\r\n\r\n)\r\n",
            .fetch(
                IMAPFetch(
                    sequence: 3, uid: 4,
                    body: .received(section: "BODY[HEADER.FIELDS (\"A)\" B)]", origin: nil, size: 2)))
        ),
        ("* NO [ALERT] disk \u{7}full\r\n", .status(IMAPStatus(kind: .no, code: "ALERT", text: "disk  full"))),
        (
            "* OK [BADCHARSET (\"]\")] x\r\n",
            .status(IMAPStatus(kind: .ok, code: "BADCHARSET", argument: "(\"]\")", text: "x"))
        ),
        ("+ idling\r\n", .continuation),
        ("+\r\n", .continuation),
        (
            "F7 NO [TRYCREATE] no such mailbox\r\n",
            .tagged("F7", IMAPStatus(kind: .no, code: "TRYCREATE", text: "no such mailbox"))
        ),
        ("F8 OK\r\n", .tagged("F8", IMAPStatus(kind: .ok))),
        ("* BYE\r\n", .status(IMAPStatus(kind: .bye))),
        ("* 99999999999 EXISTS\r\n", .other("99999999999")),
        ("* XUNKNOWN (\"open {4}\r\nF1 O\r\n", .other("XUNKNOWN")),
    ]

    @Test(arguments: [1, 2, 3, 7, 16, Int.max])
    func everyAnswerIsUnderstoodHoweverItIsCutUp(_ pieceBytes: Int) {
        let sink = CollectingSink()
        let (responses, error) = read(Self.conversation.map(\.0).joined(), pieceBytes: pieceBytes, sink: sink)
        #expect(responses == Self.conversation.map(\.1))
        #expect(error.code == .connectionLost)
        #expect(sink.bodies == ["a\\b", "", "F2 OK done\r\n", "a\0b", "\r\n"].map { Array($0.utf8) })
        #expect(
            sink.heads == [
                "1 BODY[] - 3", "1 BODY[] - 0", "? BODY[] 10 12", "? BODY[] - 3",
                "4 BODY[HEADER.FIELDS (\"A)\" B)] - 2",
            ])
    }

    @Test func aCutAnywhereIsNoAnswer() {
        for (text, response) in Self.conversation {
            for length in 0..<text.utf8.count {
                let (responses, error) = read(String(decoding: text.utf8.prefix(length), as: UTF8.self))
                #expect(responses.isEmpty, "\(text.debugDescription) cut at \(length) gave \(response)")
                #expect(error.endsConnection)
            }
        }
    }

    /// A response that breaks the grammar ends the connection.
    @Test(arguments: [
        "* 1 FETCH (BODY[] {-1}\r\nx UID 1)\r\n",
        "* 1 FETCH (BODY[] {9223372036854775808}\r\nx UID 1)\r\n",
        "* 1 FETCH (BODY[] {99999999999999999999999}\r\nx UID 1)\r\n",
        "* 1 FETCH (BODY[] {}\r\nx UID 1)\r\n",
        "* 1 FETCH (BODY[] {2}x\r\n UID 1)\r\n",
        "* 1 FETCH (BODY[] {2}\nxx UID 1)\r\n",
        "* 1 FETCH (BODY[] {2}\r\nx UID 1)\r\n",  // one byte too many is taken
        "* 1 FETCH (BODY[] {1}\r\nxx UID 1)\r\n",
        "* 1 FETCH (BODY[] atom UID 1)\r\n",
        "* 1 FETCH (BODY[] {1}\r\nx BODY[] {1}\r\nx)\r\n",
        "* 1 FETCH (UID 0)\r\n",
        "* 1 FETCH (UID 1 UID 2)\r\n",
        "* 1 FETCH (UID 4294967296)\r\n",
        "* 1 FETCH (UID -1)\r\n",
        "* 1 FETCH (RFC822.SIZE 9223372036854775808)\r\n",
        "* 1 FETCH (UID 1\r\n",
        "* 1 FETCH UID 1\r\n",
        "* 1 FETCH (UID 1) x\r\n",
        "* 1 FETCH (FLAGS (\"a\r\nb\"))\r\n",
        "* 1 FETCH (FLAGS (\0))\r\n",
        "\r\n", "*\r\n", "* \r\n", "F1\r\n", "F1 MAYBE\r\n", "F1 BYE\r\n", "\0\0\0", "\"F1\" OK\r\n",
    ])
    func whatBreaksTheGrammarEndsTheConnection(_ text: String) {
        for pieceBytes in [1, Int.max] {
            let (responses, error) = read(text + "F1 OK done\r\n", pieceBytes: pieceBytes)
            #expect(error.code == .protocolViolation, "\(text.debugDescription) gave \(responses)")
            #expect(responses.isEmpty)
        }
    }

    @Test(arguments: ["* ", "* OK ", "* LIST ", "* 1 FETCH (", "* 1 FETCH (X \"", "F", "* 1 FETCH (X (", "+ "])
    func nothingGoesOnForEver(_ beginning: String) {
        let filling = beginning.hasSuffix("(X (") ? "((((" : "aaaa"
        let (_, error) = read(beginning + String(repeating: filling, count: 600_000))
        #expect(error.code == .protocolViolation)
    }

    @Test func aBodyThatIsTooLargeIsRefusedBeforeItsBytes() {
        let sink = CollectingSink()
        sink.largest = 10
        let (_, error) = read("* 1 FETCH (UID 1 BODY[] {11}\r\n", sink: sink)
        #expect(error.code == .messageUnavailable)
        #expect(sink.bodies.isEmpty)
    }
}
