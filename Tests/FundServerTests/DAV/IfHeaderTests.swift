import TestSupport
import HTTPTypes
import Testing

@testable import FundServer

struct IfHeaderTests {
    @Test func readsUntaggedLists() throws {
        let header = try IfHeader(#"(<urn:uuid:1> ["a"]) (Not <DAV:no-lock>[W/"b"])"#)
        #expect(
            header.lists == [
                .init(resource: nil, conditions: [condition("urn:uuid:1"), tag("\"a\"")]),
                .init(resource: nil, conditions: [condition("DAV:no-lock", isNegated: true), tag("W/\"b\"")]),
            ])
        #expect(header.submittedTokens == ["urn:uuid:1", "DAV:no-lock"])
    }

    @Test func readsTaggedLists() throws {
        let header = try IfHeader(
            "<http://h/dav/a> (<t:1>)(NOT <t:2>) </dav/b>\t([\"x]y\"])".replacing("x]y", with: "xy"))
        #expect(header.lists.map(\.resource) == ["http://h/dav/a", "http://h/dav/a", "/dav/b"])
        #expect(
            header.lists.map(\.conditions) == [
                [condition("t:1")], [condition("t:2", isNegated: true)], [tag("\"xy\"")],
            ])
    }

    /// Windows and some libraries leave out angle brackets, or the list.
    @Test(arguments: [
        "(urn:uuid:1)", "( urn:uuid:1 )", "urn:uuid:1", "<urn:uuid:1>", " <urn:uuid:1>\t", "(<urn:uuid:1>)",
    ])
    func readsBareTokens(_ field: String) throws {
        let header = try IfHeader(field)
        #expect(header.lists == [.init(resource: nil, conditions: [condition("urn:uuid:1")])])
        #expect(try IfHeader("</dav/a> (Not t:2 [\"x\"])").submittedTokens == ["t:2"])
    }

    @Test(arguments: [
        "", " ", "()", "(", "(<t>", "<t>", "<t> x", "<> (<t>)", "(<>)", "(t)", "([x])", "([\"x\"]", "(Not)",
        "(<t>) </dav/a> (<t>)",
        "</dav/a>", "x (<t>)", "(<t>) x", "(Not Not <t>)", "(\"x\")",
        String(repeating: "(<t>)", count: IfHeader.maxConditions + 1),
    ])
    func refuses(_ field: String) {
        #expect(throws: DAVError.self) { try IfHeader(field) }
    }

    private func condition(_ token: String, isNegated: Bool = false) -> IfHeader.Condition {
        .init(isNegated: isNegated, check: .token(token))
    }

    private func tag(_ text: String) -> IfHeader.Condition { .init(isNegated: false, check: .entityTag(text)) }

    private static let timeouts: [(field: String?, seconds: Int64)] = [
        (nil, 600), ("Second-30", 30), ("second-30", 30), ("Infinite", 3600), ("Infinite, Second-4100000000", 3600),
        ("Extend, Second-5", 5), ("Second-99999999999999999999", 3600), ("Second-0", 1), ("Second-", 3600),
        ("Second--5", 600), ("x", 600),
    ]

    @Test(arguments: timeouts)
    func boundsTimeouts(_ example: (field: String?, seconds: Int64)) {
        var fields = HTTPFields()
        fields[.timeout] = example.field
        #expect(LockTable.timeout(fields) == .seconds(example.seconds))
    }

    @Test(arguments: [("0", 0), ("1", 1), ("infinity", 2), ("Infinity", 2), (nil, 2)] as [(String?, Int)])
    func readsDepth(_ example: (field: String?, index: Int)) throws {
        var fields = HTTPFields()
        fields[.depth] = example.field
        #expect(try DAVDepth(fields) == [.zero, .one, .infinity][example.index])
    }

    @Test(arguments: ["", "2", "-1", "00", "1, 1", "infinite"])
    func refusesOtherDepths(_ field: String) {
        #expect(throws: DAVError.self) { try DAVDepth([.depth: field]) }
    }
}
