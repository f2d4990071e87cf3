import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite struct CardReaderTests {
    private static func fields(_ lines: String) -> CardFields? {
        CardReader.fields(of: Array(lines.replacing("\n", with: "\r\n").utf8), isWhole: true)
    }

    private static func card(_ properties: String) -> CardFields.Card? {
        fields("BEGIN:VCARD\n\(properties)\nEND:VCARD\n")?.cards.first
    }

    /// RFC 6350, as phones of today write it.
    @Test func readsVersion4() throws {
        let card = try #require(
            Self.card(
                """
                VERSION:4.0
                N:Simon;Perreault;;;ing. jr,M.Sc.
                FN:Simon Perreault
                ORG;TYPE=work:Viagenie;Research
                TITLE:Partner
                TEL;VALUE=uri;TYPE="voice,work";PREF=1:tel:+1-418-656-9254;ext=102
                item1.TEL;TYPE=CELL:+1 418 262-6501
                EMAIL;TYPE=work:simon.perreault@viagenie.ca
                ADR;TYPE=work:;Suite D2-630;2875 Laurier;Quebec;QC;G1V 2M2;Canada
                URL;TYPE=home:http://nomis80.org
                BDAY:19800203
                NOTE:Line one\\nline two\\; and\\, so on
                PHOTO:data:image/jpeg;base64,/9j/4AAQ
                """))
        #expect(card.name == "Simon Perreault" && card.organisation == "Viagenie, Research" && card.role == "Partner")
        #expect(
            card.telephones == [
                CardFields.Entry(value: "+1-418-656-9254;ext=102", types: [.work]),
                CardFields.Entry(value: "+1 418 262-6501", types: [.cell]),
            ])
        #expect(card.mails == [CardFields.Entry(value: "simon.perreault@viagenie.ca", types: [.work])])
        #expect(card.addresses.map(\.value) == ["Suite D2-630, 2875 Laurier, Quebec, QC, G1V 2M2, Canada"])
        #expect(card.sites == ["http://nomis80.org"] && card.birthday == "1980-02-03")
        #expect(card.note == "Line one\nline two; and, so on")
    }

    /// Quoted-printable with soft line breaks, and types without a name.
    @Test func readsVersion2() throws {
        let card = try #require(
            Self.card(
                """
                VERSION:2.1
                N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=E5=BC=A0;=E4=B8=89;;;
                ADR;WORK;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:;;=E9=99=86=
                =E5=AE=B6=E5=98=B4;=E4=B8=8A=E6=B5=B7;;200120;
                TEL;CELL;PREF:13800138000
                EMAIL;INTERNET:a=40b@example.com
                NOTE;QUOTED-PRINTABLE:a=0D=0Ab=3Bc=ZZ=
                """))
        #expect(card.name == "张三" && card.telephones == [CardFields.Entry(value: "13800138000", types: [.cell])])
        #expect(card.addresses == [CardFields.Entry(value: "陆家嘴, 上海, 200120", types: [.work])])
        #expect(card.mails.map(\.value) == ["a=40b@example.com"] && card.note?.hasPrefix("a\nb;c=ZZ") == true)
    }

    /// Cards as Outlook and phones write them. The second byte of 許 in Big5 is a backslash.
    @Test(arguments: [
        ("CHARSET=GB2312", "=D5=C5=C8=FD", "张三"), ("CHARSET=\"gb_2312\"", "=D5=C5=C8=FD=FF", "张三\u{FFFD}"),
        ("CHARSET=big5", "=B3\\=A4=A4", "許中"), ("CHARSET=Windows-1252", "J=F6rg", "Jörg"),
        ("CHARSET=SHIFT_JIS", "=93=FA=96{", "日本"), ("CHARSET=x-unknown", "=E5=BC=A0", "张"),
        ("CHARSET=UTF-8", "a=3D", "a="),
        ("CHARSET=GBK", "=D5", "\u{FFFD}"), ("CHARSET=GBK", "", nil),
    ])
    func readsCharsets(charset: String, text: String, expected: String?) {
        let card = Self.card("FN;\(charset);ENCODING=QUOTED-PRINTABLE:\(text)\nORG:x")
        #expect(card?.name == expected)
        // Unquoted text is in the encoding of the file.
        #expect(Self.card("FN;\(charset):张三")?.name == "张三")
    }

    /// RFC 2426, with a picture in base64.
    @Test func readsVersion3() throws {
        let picture = String(repeating: "\n /9j/4AAQSkZJRgABAQAAAQABAAD", count: 2000)
        let text = "VERSION:3.0\nFN:Ann\nPHOTO;ENCODING=b;TYPE=JPEG:\(picture)\nTEL;TYPE=FAX,WORK:1\nN:Doe;Ann"
        let card = try #require(Self.card(text))
        #expect(card.name == "Ann" && card.telephones == [CardFields.Entry(value: "1", types: [.fax, .work])])
        let words = String(decoding: ContentLines.text(of: Array(text.utf8)), as: UTF8.self)
        #expect(words == "VERSION: 3.0\nFN: Ann\nTEL: 1\nN: Doe; Ann\n")
    }

    @Test func whatIsBroken() {
        #expect(Self.fields("BEGIN:VCARD\nEND:VCARD\n") == nil)
        #expect(Self.fields("FN:outside\n") == nil)
        #expect(Self.fields("BEGIN:VCARD\nFN:a\nBEGIN:VCARD\nFN:b")?.cards.map(\.name) == ["a", "b"])
        #expect(Self.card("FN:\u{202E}a\u{7}\nFN:b")?.name == "a")
        #expect(Self.card("FN: \u{200B}\nFN:b")?.name == "b")
    }

    @Test func bounds() throws {
        let many = String(repeating: "BEGIN:VCARD\nFN:a\nEND:VCARD\n", count: 1000)
        let cards = try #require(Self.fields(many))
        #expect(cards.cards.count == 100 && cards.hasMore)
        let card = try #require(Self.card("FN:a\n" + String(repeating: "TEL:1\nURL:x\n", count: 50_000)))
        #expect(card.telephones.count == 20 && card.sites.count == 20)
        let long = String(repeating: "\"", count: 5000)
        let full = try #require(
            Self.fields(String(repeating: "BEGIN:VCARD\nFN:\(long)\nNOTE:\(long)\nEND:VCARD\n", count: 100)))
        let json = try FileFields.card(full).json()
        #expect(full.hasMore && json.count <= FileFields.maxBytes && FileFields(json: json) == .card(full))
        #expect(FileFields.card(full).checked(for: .card) == .card(full))
    }

    /// Short values of many types, and a last card for which there is no room.
    @Test func roomIsUsedUp() throws {
        let kinds = ["TEL", "EMAIL", "ADR"]
        func card(_ value: String) -> String {
            let entries = kinds.map { String(repeating: "\($0);TYPE=work,home,cell,fax:\(value)\n", count: 20) }
            return "BEGIN:VCARD\nFN:a\n\(entries.joined())END:VCARD\n"
        }
        let short = try #require(Self.fields(String(repeating: card("1"), count: 100)))
        let json = try FileFields.card(short).json()
        #expect(short.hasMore && json.count <= FileFields.maxBytes && FileFields(json: json) == .card(short))
        let long = card(String(repeating: "\"", count: 1000))
        #expect(Self.fields(long)?.hasMore == false)
        let two = try #require(Self.fields(long + long))
        #expect(two.cards.count == 2 && two.hasMore)
    }

    @Test func anythingIsRead() throws {
        let pieces = [
            "BEGIN:VCARD", "\n", "\r\n", " ", ";", ":", "=", "\\", "\"", "N", "ENCODING=QUOTED-PRINTABLE", "=E5", "TEL",
        ]
        for seed in 1...3000 as ClosedRange<UInt64> {
            let text = randomBytes(Int(seed % 24), seed: seed).map { pieces[Int($0) % pieces.count] }.joined()
            let cards = Self.fields("BEGIN:VCARD\n" + text).map { (FileFields.card($0), TrueType.card) }
            let events = CalendarReader.fields(of: Array(("BEGIN:VEVENT\n" + text).utf8), isWhole: true)
            let calendar = events.map { (FileFields.calendar($0), TrueType.calendar) }
            for (fields, type) in [cards, calendar].compactMap({ $0 }) {
                let json = try fields.json()
                #expect(json.count <= FileFields.maxBytes && FileFields(json: json) == fields, "seed \(seed)")
                #expect(fields.checked(for: type) == fields, "seed \(seed)")
            }
        }
    }
}
