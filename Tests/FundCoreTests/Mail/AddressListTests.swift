import FundCore
import Testing

/// Addresses as people type and paste them.
@Suite struct AddressListTests {
    @Test(
        arguments: [
            ("", []), (" , ;\n", []), ("ann@corp.example", ["ann@corp.example"]),
            (
                "Ann <ann@corp.example>, bob@corp.example; c@x.org",
                ["Ann|ann@corp.example", "bob@corp.example", "c@x.org"]
            ),
            ("\"Lee, Ann\" <ann@corp.example>", ["Lee, Ann|ann@corp.example"]),
            (#""a \"b\" \\" <a@x.org>"#, [#"a "b" \|a@x.org"#]),
            (
                "张三 <zhang@corp.example>，李四 <li@corp.example>；王@x.org <w@x.org>、v@x.org",
                ["张三|zhang@corp.example", "李四|li@corp.example", "王@x.org|w@x.org", "v@x.org"]
            ),
            ("a@x.org b@x.org\r\nc@x.org", ["a@x.org", "b@x.org", "c@x.org"]),
            ("A@X.ORG, a@x.org, Ann <a@x.org>", ["A@x.org"]),
            ("<a@bücher.example>", ["a@xn--bcher-kva.example"]), ("Ann\u{202E} <a@x.org>", ["Ann|a@x.org"]),
        ] as [(String, [String])])
    func reads(_ text: String, _ people: [String]) throws {
        let list = try AddressList(text)
        #expect(list.people.map { ($0.name.map { "\($0)|" } ?? "") + $0.address } == people)
        // A field shows what it reads again.
        #expect(try AddressList(list.text) == list)
    }

    @Test(
        arguments: [
            ("ann", .notAnAddress, "ann"), ("ann@x.org, Bob", .notAnAddress, "Bob"),
            ("Ann Lee", .notAnAddress, "Ann Lee"), ("a@x.org Bob b@x.org", .notAnAddress, "a@x.org Bob b@x.org"),
            ("Ann <ann at x.org>", .notAnAddress, "Ann <ann at x.org>"), ("<>", .notAnAddress, "<>"),
            ("\"a b\"@x.org", .notAnAddress, "\"a b\"@x.org"), ("zoë@x.org", .beyondASCII, "zoë@x.org"),
            ("a\u{0}@x.org", .control, "a@x.org"), ("a@x.org\tb@x.org", .control, "a@x.org b@x.org"),
            (String(repeating: "a", count: 65) + "@x.org", .notAnAddress, String(repeating: "a", count: 65) + "@x.org"),
            (String(repeating: "a@x.org,", count: 5000), .tooLong, ""),
        ] as [(String, AddressListError.Problem, String)])
    func refuses(_ text: String, _ problem: AddressListError.Problem, _ part: String) {
        let error = #expect(throws: AddressListError.self) { try AddressList(text) }
        #expect(error?.problem == problem && error?.part == part, "\(error?.part ?? "")")
    }

    @Test func namesAreWrittenSoThatTheyAreReadAgain() throws {
        for name in ["Ann", "Lee, Ann", "a\"b\\c", "李，四", "<b@x.org>", "  ", "Ann; Bob", "O'Neil-Smith Jr."] {
            let person = try #require(Addressee(name: name, address: "a@x.org"))
            #expect(try AddressList(person.text).people == [person], "\(person.text)")
        }
    }
}
