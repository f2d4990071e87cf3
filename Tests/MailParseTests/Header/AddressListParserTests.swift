import TestSupport
import FundCore
import Testing

@testable import MailParse

@Suite struct AddressListParserTests {
    struct Row: Sendable {
        var raw: String
        var addresses: [String]
        var names: [String?] = [nil]
        var hasGroup = false
        var isMalformed = false
    }

    @Test(arguments: [
        Row(raw: "ann@example.com", addresses: ["ann@example.com"]),
        Row(raw: "Ann <ann@example.com>", addresses: ["ann@example.com"], names: ["Ann"]),
        Row(raw: "ann @ example . com (Ann (A.) B)", addresses: ["ann@example.com"], names: ["Ann (A.) B"]),
        Row(raw: "\"a@good\" <evil@bad>", addresses: ["evil@bad"], names: ["a@good"]),
        Row(raw: "evil@bad (a@good)", addresses: ["evil@bad"], names: ["a@good"]),
        Row(raw: "Smith, John <j@x>", addresses: ["j@x"], names: ["Smith, John"]),
        Row(raw: "g:a@good,b@bad;", addresses: ["a@good", "b@bad"], names: [nil, nil], hasGroup: true),
        Row(raw: "a@good, b@bad", addresses: ["a@good", "b@bad"], names: [nil, nil]),
        Row(raw: "", addresses: [], names: []),
        Row(raw: "undisclosed-recipients:;", addresses: [], names: [], hasGroup: true),
        Row(raw: "a@good\0@bad", addresses: ["a@good\0@bad"], isMalformed: true),
        Row(raw: "a\r@good", addresses: ["a@good"], isMalformed: true),
        Row(raw: "a@good <evil@bad>", addresses: ["evil@bad"], names: ["a@good"], isMalformed: true),
        Row(raw: "a@good, Eve <evil@bad>", addresses: ["a@good", "evil@bad"], names: [nil, "Eve"]),
        Row(raw: "\"a@good\", Eve <evil@bad>", addresses: ["evil@bad"], names: ["Eve"], isMalformed: true),
        Row(raw: "<@relay,@b:ann@x>", addresses: ["ann@x"]),
        Row(raw: "<@a , @b : ann @ x . y>", addresses: ["ann@x.y"]),
        Row(raw: "<@a:eve@bad:ann@x>", addresses: ["ann@x"], isMalformed: true),
        Row(raw: "<@a,eve@bad:ann@x>", addresses: ["ann@x"], isMalformed: true),
        Row(raw: "<eve ann@x>", addresses: ["eveann@x"], isMalformed: true),
        Row(raw: "<ann@x .y z>", addresses: ["ann@x.yz"], isMalformed: true),
        Row(raw: "=?utf-8?Q?Smith,_J?= <j@x>", addresses: ["j@x"], names: ["Smith, J"]),
        Row(raw: "=?utf-8?B?YUBnb29k?=", addresses: [], names: [], isMalformed: true),
        Row(raw: "ａ@good", addresses: ["ａ@good"]), Row(raw: "Nobody", addresses: [], names: [], isMalformed: true),
        Row(raw: "\"q q\"@x", addresses: ["\"q q\"@x"]),
        Row(raw: "a@b <c@d", addresses: ["c@d"], names: ["a@b"], isMalformed: true),
    ])
    func reads(_ row: Row) {
        let (field, _) = AddressListParser.parse(Array(row.raw.utf8), charsets: CharsetDecoder())
        #expect(field.addresses.map(\.address) == row.addresses)
        #expect(field.addresses.map(\.displayName) == row.names)
        #expect(field.hasGroup == row.hasGroup)
        #expect(field.isMalformed == row.isMalformed)
    }

    @Test func everyFromFieldCounts() {
        let (header, defects) = MessageHeaderReader(charsets: CharsetDecoder())
            .read(HeaderBlock("From : a@good\r\nFrom: b@bad\r\n\r\n".utf8))
        #expect(header.from.map { $0.addresses.map(\.address) } == [["a@good"], ["b@bad"]])
        #expect(defects == [.duplicateFrom])
    }

    @Test(arguments: ["From\u{b}", "\u{c}From", "From\u{a0}", "F\u{200b}rom", "From\u{7f}", "Fr om"])
    func aFromFieldWithOddBytesInItsNameCounts(_ name: String) {
        let (header, defects) = MessageHeaderReader(charsets: CharsetDecoder())
            .read(HeaderBlock("\(name): b@bad\nFrom: a@good\n\n".utf8))
        #expect(header.from.count == 2)
        #expect(header.from.first?.isMalformed == true)
        #expect(defects.contains(.malformedHeaderLine) && defects.contains(.duplicateFrom))
    }

    @Test func millionGroupsCostNoStack() {
        let (field, _) = AddressListParser.parse(
            [UInt8](repeating: 58, count: 1_000_000), charsets: CharsetDecoder())
        #expect(field.hasGroup)
    }
}
