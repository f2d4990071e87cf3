import FundCore
import TestSupport
import Testing

/// Files of contacts as phones and mail programs write them, and as attackers do.
struct ContactFileTests {
    private static func file(_ text: String) throws -> ContactFile { try ContactFile(Array(text.utf8)) }

    private static func card(_ lines: String...) throws -> ImportedContact {
        let text = "BEGIN:VCARD\r\n" + lines.joined(separator: "\r\n") + "\r\nEND:VCARD\r\n"
        return try #require(try file(text).contacts.first)
    }

    @Test
    func readsTheVersionsOfVCard() throws {
        let old = try Self.card(
            "VERSION:2.1", "N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E7=8E=8B;=E5=A4=A7=E4=BC=9F;;;",
            "TEL;CELL:+86 138", "EMAIL;WORK:Dawei@Corp.Example", "PHOTO;ENCODING=BASE64;JPEG:AAAA", " BBBB", "")
        #expect(old.card.name == "王大伟" && old.card.phones == [ContactEntry("+86 138", .cell)])
        #expect(old.card.addresses == [ContactEntry("dawei@corp.example", .work)] && old.leftOut == [.picture])
        let folded = try Self.card(
            "VERSION:3.0", "FN:Ann\\, Sm", " ith", "ORG:ACME;Sales;East", "item1.EMAIL;TYPE=INTERNET:a@x.example",
            "EMAIL;TYPE=INTERNET;TYPE=PREF:b@x.example", "NOTE:one\\ntwo", "UID:u-1", "CATEGORIES:Team,Friends")
        #expect(folded.card.name == "Ann, Smith" && folded.card.organisation == "ACME" && folded.uid == "u-1")
        #expect(folded.card.department == "Sales / East" && folded.card.groups == ["Team", "Friends"])
        #expect(folded.card.addresses.map(\.value) == ["b@x.example", "a@x.example"] && folded.card.note == "one\ntwo")
        let new = try Self.card(
            "VERSION:4.0", "FN:Bo", "EMAIL;PREF=1:mailto:bo@x.example", "TEL;VALUE=uri;TYPE=\"cell\":tel:+1")
        #expect(new.card.addresses.map(\.value) == ["bo@x.example"] && new.card.phones == [ContactEntry("+1", .cell)])
    }

    /// Groups of Apple's programs are cards of their own.
    @Test
    func givesMembersTheirGroups() throws {
        let file = try Self.file(
            "BEGIN:VCARD\nFN:Ann\nUID:a\nEND:VCARD\nBEGIN:VCARD\nFN:Team\nX-ADDRESSBOOKSERVER-KIND:group\n"
                + "X-ADDRESSBOOKSERVER-MEMBER:urn:uuid:a\nEND:VCARD\n")
        #expect(file.contacts.map(\.card.name) == ["Ann"] && file.contacts[0].card.groups == ["Team"])
    }

    @Test(
        arguments: [
            "First Name,Last Name,Company,E-mail Address,E-mail 2 Address,Mobile Phone,Notes,Birthday\n"
                + "Ann,Smith,ACME,ann@x.example,a2@x.example,+44 1,Hi,0/0/00\n",
            "姓;名;公司;电子邮件地址;电子邮件地址 2;移动电话;附注;生日\nSmith;Ann;ACME;ann@x.example;a2@x.example;+44 1;Hi;1\n",
            "Name,Organization Name,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,"
                + "Notes,Birthday\nAnn Smith,ACME,,ann@x.example,a2@x.example,Mobile,+44 1,Hi,1\n",
        ])
    func readsTables(text: String) throws {
        let contact = try #require(try Self.file(text).contacts.first)
        #expect(contact.line == 2 && contact.card.name == "Ann Smith" && contact.card.organisation == "ACME")
        #expect(contact.card.addresses.map(\.value) == ["ann@x.example", "a2@x.example"])
        #expect(contact.card.phones == [ContactEntry("+44 1", .cell)] && contact.card.note == "Hi")
        #expect(contact.leftOut == [.birthday])
    }

    @Test
    func readsTablesOfBeforeUnicode() throws {
        // 姓名,电子邮件 / 王大伟经理,… in GBK.
        let header: [UInt8] = [0xD0, 0xD5, 0xC3, 0xFB, 0x2C, 0xB5, 0xE7, 0xD7, 0xD3, 0xD3, 0xCA, 0xBC, 0xFE, 0x0A]
        let name: [UInt8] = [0xCD, 0xF5, 0xB4, 0xF3, 0xCE, 0xB0, 0xBE, 0xAD, 0xC0, 0xED]
        let file = try ContactFile(header + name + Array(",w@x.example\n".utf8))
        #expect(file.contacts.first?.card.name == "王大伟经理")
    }

    @Test
    func saysWhyAFileCannotBeRead() {
        for (text, fault) in [
            ("", ContactFile.Fault.empty), ("colour,size\nred,1\n", .noColumns), ("\u{1}\u{2}", .notText),
            ("Name,Mail\n\"Ann\n", .malformed(line: 2, problem: "a quotation mark is not closed")),
        ] { #expect(throws: fault) { try Self.file(text) } }
    }

    /// A card ends where another begins, and one within a card is not read.
    @Test
    func survivesHostileCards() throws {
        let nested = try Self.file(
            "BEGIN:VCARD\nFN:Boss\nAGENT:\nBEGIN:VCARD\nFN:Agent\nEMAIL:e@x.example\nEND:VCARD\nEMAIL:b@x.example\n"
                + "END:VCARD\n")
        #expect(nested.contacts.map(\.card.name) == ["Boss"])
        #expect(nested.contacts[0].card.addresses.map(\.value) == ["b@x.example"])
        let open = try Self.file(String(repeating: "BEGIN:VCARD\nFN:A\n", count: 50))
        #expect(open.contacts.count == 50)
        let long = try Self.card(
            "FN:" + String(repeating: "x", count: 1 << 20), "EMAIL:no address", "EMAIL:a@x.example")
        #expect(long.card.name.utf8.count == ContactLimits.maxLineBytes && long.leftOut == [.excess, .wrongAddress])
        let many = try Self.card("FN:A", Array(repeating: "TEL:1", count: 10).joined(separator: "\n"))
        #expect(many.card.phones.count == 1)
        let marks = try Self.card("FN:A" + String(repeating: "\u{301}\u{327}", count: 20_000))
        #expect(marks.card.problem == nil)
    }

    /// No text of a contact becomes a line of its own, and all of it is read again.
    @Test(arguments: VCardWriter.Version.allCases)
    func writesWhatItReads(version: VCardWriter.Version) throws {
        let card = ContactCard(
            name: "Smith; \"Ann\", \\ <b>王</b>" + String(repeating: "é", count: 60), organisation: "A,B;C",
            department: "East", title: "Boss", addresses: [ContactEntry("a@x.example", .work)],
            phones: [ContactEntry("+1 2", .cell)], groups: ["One, two", "Three"],
            note: "x\r\nEND:VCARD\nBEGIN:VCARD\n y"
        ).cleaned
        var writer = VCardWriter(version)
        writer.add(card, uid: "u;1\r\nX:y", changedAt: 1_700_000_000)
        let lines = String(decoding: writer.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 75 } && lines.count(where: { $0 == "END:VCARD" }) == 1)
        let file = try ContactFile(writer.bytes)
        #expect(file.contacts.map(\.card) == [card])
    }
}
