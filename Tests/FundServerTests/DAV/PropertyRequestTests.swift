import FundCore
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

struct PropertyRequestTests {
    private func root(_ text: String) throws -> MarkupElement { try MarkupReader.read(Array(text.utf8)) }

    @Test func readsPropfind() throws {
        #expect(try PropfindRequest(nil) == .all(including: []))
        #expect(try PropfindRequest(root("<propfind xmlns='DAV:'><propname/></propfind>")) == .names)
        #expect(try PropfindRequest(root("<propfind xmlns='DAV:'><allprop/></propfind>")) == .all(including: []))
        #expect(
            try PropfindRequest(
                root("<propfind xmlns='DAV:'><x xmlns='u'/><allprop/><include><a/></include></propfind>"))
                == .all(including: [.dav("a")]))
        #expect(
            try PropfindRequest(root("<propfind xmlns='DAV:'><prop><a/><b xmlns=''/><a/></prop></propfind>"))
                == .some([.dav("a"), MarkupName(namespace: "", local: "b")]))
    }

    @Test(arguments: [
        "<x/>", "<propfind/>", "<propfind xmlns='DAV:'/>", "<propfind xmlns='DAV:'><prop/><allprop/></propfind>",
        "<propfind xmlns='DAV:'><propname/><allprop/></propfind>", "<propfind xmlns='urn:x'><propname/></propfind>",
        "<propfind xmlns='DAV:'><prop>\((0...PropfindRequest.maxNames).map { "<a\($0)/>" }.joined())</prop></propfind>",
    ])
    func refusesPropfind(_ text: String) {
        #expect(throws: DAVError.self) { try PropfindRequest(root(text)) }
    }

    @Test func readsChangesInOrder() throws {
        let changes = try PropertyChange.changes(
            in: root(
                """
                <propertyupdate xmlns='DAV:'><remove><prop><a/></prop></remove><set><prop><a>1</a><b/></prop></set>
                <other/><remove><prop><b/></prop></remove></propertyupdate>
                """))
        #expect(changes.map(\.name.local) == ["a", "a", "b", "b"])
        #expect(changes.map { if case .set = $0 { true } else { false } } == [false, true, true, false])
    }

    @Test(arguments: [
        "<x/>", "<propertyupdate xmlns='DAV:'/>", "<propertyupdate xmlns='DAV:'><set><prop/></set></propertyupdate>",
    ])
    func refusesChanges(_ text: String) {
        #expect(throws: DAVError.self) { try PropertyChange.changes(in: root(text)) }
    }

    @Test func readsBasicCredentials() {
        // "ann@example.com:pä:ss"
        let credentials = BasicCredentials("basic  YW5uQGV4YW1wbGUuY29tOnDDpDpzcw==")
        #expect(credentials?.name == "ann@example.com")
        #expect(credentials?.password == "pä:ss")
    }

    /// The last three: no colon, bytes that are no UTF-8, a control character.
    @Test(arguments: ["", "Basic", "Basic !", "Bearer YTpi", "Basic YWI=", "Basic /zo=", "Basic YToKYg=="])
    func refusesOtherCredentials(_ field: String) {
        #expect(BasicCredentials(field) == nil)
    }
}
