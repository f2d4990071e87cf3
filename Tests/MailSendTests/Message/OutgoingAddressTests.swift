import MailSend
import Testing

@Suite struct OutgoingAddressTests {
    @Test(arguments: [
        ("ann@example.com", "ann@example.com"), ("Ann.Archer+x@EXAMPLE.com", "Ann.Archer+x@example.com"),
        ("a..b@docomo.example", "a..b@docomo.example"), ("\"ann archer\"@example.com", "\"ann archer\"@example.com"),
        ("\"a@b\"@example.com", "\"a@b\"@example.com"), ("ann@bücher.example", "ann@xn--bcher-kva.example"),
        ("ann@[127.0.0.1]", "ann@[127.0.0.1]"), ("o'neil@example.com", "o'neil@example.com"),
    ])
    func addressesKeepTheirCase(text: String, expected: String) throws {
        #expect(try OutgoingAddress(text).description == expected)
    }

    /// Each would end the command or the brackets that it stands in, or is no address.
    @Test(arguments: [
        ("ann@example.com\r\nRCPT TO:<eve@example.com>", MessageError.Problem.control),
        ("ann@example.com\n", .control), ("ann\r@example.com", .control), ("ann\0@example.com", .control),
        ("\"ann\r\n\"@example.com", .control), ("ann@exam\nple.com", .control), ("ann\u{7f}@example.com", .control),
        ("ann@example.com> SIZE=1", .notAnAddress), ("ann>@example.com", .notAnAddress),
        ("<ann@example.com>", .notAnAddress),
        ("\"<ann>\"@example.com", .notAnAddress), ("\"ann\"x\"@example.com", .notAnAddress),
        ("\"ann\\\"@example.com", .notAnAddress), ("ann archer@example.com", .notAnAddress),
        ("ann@exam ple.com", .notAnAddress), ("ann@[a>b]", .notAnAddress), ("ann@[]", .notAnAddress),
        ("ann", .notAnAddress), ("@example.com", .notAnAddress), ("ann@", .notAnAddress), ("", .notAnAddress),
        ("ann@example.com, eve@example.com", .notAnAddress), ("ann(x)@example.com", .notAnAddress),
        (String(repeating: "a", count: 65) + "@example.com", .notAnAddress),
        ("ännchen@example.com", .addressBeyondASCII), ("安@example.com", .addressBeyondASCII),
        ("\u{2028}@example.com", .addressBeyondASCII),
    ])
    func othersAreRefused(text: String, problem: MessageError.Problem) {
        let error = #expect(throws: MessageError.self) { try OutgoingAddress(text, field: "To") }
        #expect(error?.problem == problem && error?.field == "To", "\(text.debugDescription): \(error as Any)")
        #expect(error.map { !"\($0)".contains("\n") } == true)
    }

    @Test(arguments: [
        ("Fundmail <funds@corp.example>", "Fundmail", "funds@corp.example"),
        ("\"Fundmail, Inc.\" <funds@corp.example>", "Fundmail, Inc.", "funds@corp.example"),
        ("基金 <funds@corp.example>", "基金", "funds@corp.example"), ("funds@corp.example", nil, "funds@corp.example"),
        ("<funds@corp.example>", nil, "funds@corp.example"),
    ])
    func correspondents(text: String, name: String?, address: String) throws {
        let person = try Correspondent(text, field: "from")
        #expect(person.name == name && person.address.description == address)
    }

    @Test(arguments: [
        "Fundmail\r\nBcc: eve@example.com <funds@corp.example>", "Fundmail <funds@corp.example\n>", "Fundmail", "<>",
        "",
        "Fundmail <funds@corp.example> x", "Fund\0mail <funds@corp.example>",
    ])
    func correspondentsThatAreNone(text: String) {
        #expect(throws: MessageError.self) { try Correspondent(text, field: "from") }
    }
}
