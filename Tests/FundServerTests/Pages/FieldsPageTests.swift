import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Tables, calendars, cards and mails on the page of a file.
struct FieldsPageTests {
    private static func table(_ rows: [[String]], isCut: Bool = false) -> FileFields {
        .table(TableFields(delimiter: ",", rows: rows, hasMoreRows: isCut, hasMoreColumns: isCut))
    }

    private static let hostile = "</bdi><script>alert(1)</script>\"'&{{name}}"
    private static let harmless = "&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;{{name}}"

    @Test
    func showsTables() async throws {
        let place = try await PreviewedFund()
        let rows = [["Fund", "NAV"], ["A", "1,234.5"], ["2", "(7)"], ["=1+1"]]
        let page = try await place.page("a.csv", .text, Self.table(rows))
        #expect(page.contains(#"<bdi>Fund</bdi></th><th scope="col" class="number"><bdi>NAV</bdi></th>"#))
        #expect(page.contains(#"<td><bdi>A</bdi></td><td class="number"><bdi>1,234.5</bdi></td>"#))
        // Rows are filled up, and formulas are shown as they are written.
        #expect(page.contains(#"<tr><td><bdi>=1+1</bdi></td><td class="number"><bdi></bdi></td></tr>"#))
        #expect(!page.contains("Only the first") && page.contains("/preview/text?v="))
        // The first row is one of numbers; more rows and columns than are shown.
        let bare = try await place.page("b.tsv", .text, Self.table([["1", "2"], ["3", "4"]], isCut: true))
        #expect(!bare.contains("<thead>") && bare.contains(#"<td class="number"><bdi>1</bdi></td>"#))
        #expect(
            bare.contains("Only the first 2 rows are shown.") && bare.contains("Only the first 2 columns are shown."))
        let chinese = try await place.page("c.csv", .text, Self.table(rows, isCut: true), language: "zh")
        #expect(chinese.contains("仅显示前 4 行。"))
        try await place.harness.stop()
    }

    /// Text is a table where its name or its type says so; calendars, cards and mails say it themselves.
    @Test(arguments: [
        ("a.csv", "application/octet-stream", TrueType.text, true), ("a.TSV", "text/plain", .text, true),
        ("a", "text/csv; charset=utf-8", .text, true), ("a.txt", "text/plain", .text, false),
        ("a.bin", "application/octet-stream", .text, false), ("a.csv", "text/csv", .html, false),
        ("a.csv", "text/csv", .zip, false), ("a.csv", "text/csv", .unknown, false),
        ("a.txt", "text/plain", .calendar, true), ("a.bin", "application/octet-stream", .card, true),
        ("a", "message/rfc822", .mail, true),
        // Nothing has looked at it yet.
        ("a.csv", "text/csv", nil, true), ("a.eml", "message/rfc822", nil, true), ("a.bin", "text/x", nil, false),
    ])
    func chooses(name: String, contentType: String, type: TrueType?, isShown: Bool) async throws {
        let place = try await PreviewedFund()
        let page = try await place.page(name, type, Self.table([["a", "b"]]), contentType: contentType)
        #expect(page.contains(#"<section class="fields""#) == isShown)
        let asked = place.previews.state.withLock { $0.asked.contains { $0.kind == .fields } }
        #expect(asked == isShown)
        try await place.harness.stop()
    }

    @Test
    func showsCalendars() async throws {
        let place = try await PreviewedFund()
        let page = try await place.page("a.ics", .calendar, SamplePreviews.calendar)
        #expect(page.contains("<h2><bdi>Board</bdi></h2>") && page.contains("<h2><bdi>Board meeting</bdi></h2>"))
        #expect(
            page.contains(
                #"<dt>Start</dt><dd><time datetime="2026-11-25T09:00:00Z" data-exact>25 Nov 2026 09:00 UTC</time></dd>"#
            ))
        #expect(page.contains("<dt>Organiser</dt><dd><bdi>Ann &lt;ann@example.com&gt;</bdi></dd>"))
        #expect(page.contains("<dt>Attendees</dt><dd><bdi>Bea</bdi> <small><bdi>accepted</bdi></small></dd>"))
        var event = CalendarFields.Event()
        (event.start, event.end) = (
            CalendarTime(CivilDate(year: 2026, month: 11, day: 25)),
            CalendarTime(
                CivilDate(year: 2026, month: 12, day: 1), ClockTime("10:30:00"), zone: .named("Asia/Shanghai"))
        )
        (event.repeats, event.status) = ("FREQ=WEEKLY;BYDAY=WE", .cancelled)
        let other = try await place.page(
            "b.ics", .calendar, .calendar(CalendarFields(name: nil, events: [event], hasMore: true)), language: "zh")
        #expect(other.contains("无标题日程") && other.contains("<dd><bdi>每周</bdi></dd>") && other.contains("已取消"))
        #expect(other.contains("<dd><bdi>2026年11月25日</bdi></dd>"))
        #expect(other.contains("<dd><bdi>2026年12月1日 10:30</bdi> <small><bdi>Asia/Shanghai</bdi></small></dd>"))
        #expect(other.contains("仅显示前 1 个日程。"))
        try await place.harness.stop()
    }

    @Test
    func showsMailsAndCards() async throws {
        let place = try await PreviewedFund()
        let mail = MailFields(
            subject: "Call", from: [FieldPerson(name: "Ann", address: "ann@example.com")],
            to: [FieldPerson(address: "bea@example.com")], date: 1_795_568_400, text: "First\nsecond",
            attachments: [MailFields.Attachment(name: "notice.pdf", size: 1_300_000)], isCut: true)
        let page = try await place.page("a.eml", .mail, .mail(mail))
        #expect(page.contains("<h2><bdi>Call</bdi></h2>") && page.contains("<bdi>First\nsecond</bdi>"))
        #expect(page.contains("<bdi>notice.pdf</bdi> <small><bdi>1.3 MB</bdi></small>"))
        // Pages of this year show the day without its year.
        let time = Formats(words: Words(language: .en), now: .now).exactTime(1_795_568_400).text("text") ?? ""
        #expect(page.contains(#"<time datetime="2026-11-25T01:00:00Z" data-exact>\#(time)</time>"#))
        #expect(page.contains("Not all of this mail is shown."))
        let empty = try await place.page("b.eml", .mail, .mail(MailFields()))
        #expect(empty.contains("(no subject)"))
        var card = CardFields.Card()
        (card.name, card.telephones) = ("Ann", [CardFields.Entry(value: "+86 10", types: [.work, .fax])])
        let cards = try await place.page("c.vcf", .card, .card(CardFields(cards: [card, .init()], hasMore: false)))
        #expect(cards.contains("<bdi>+86 10</bdi> <small><bdi>work, fax</bdi></small>"))
        #expect(cards.contains("Contact without a name"))
        try await place.harness.stop()
    }

    /// Every text of a file, as text.
    @Test
    func isHarmless() async throws {
        let place = try await PreviewedFund()
        let text = Self.hostile
        var event = CalendarFields.Event()
        (event.title, event.place, event.repeats) = (text, text, text)
        (event.site, event.description) = (text, text)
        let day = CivilDate(year: 2026, month: 1, day: 1)
        event.start = CalendarTime(day, ClockTime("09:00:00"), zone: .named(text))
        event.organiser = FieldPerson(name: text, address: text, state: .accepted)
        var card = CardFields.Card()
        (card.name, card.organisation, card.role, card.birthday, card.note) = (text, text, text, text, text)
        card.telephones = [CardFields.Entry(value: text, types: [.work])]
        (card.mails, card.addresses, card.sites) = (card.telephones, card.telephones, [text])
        let person = FieldPerson(name: text, address: text)
        let mail = MailFields(
            subject: text, from: [person], to: [person], cc: [person], date: .max, text: text,
            attachments: [MailFields.Attachment(name: text, size: -1)])
        let all: [(TrueType, FileFields, Int)] = [
            (.text, Self.table([[text, text], [text]]), 3),
            (.calendar, .calendar(CalendarFields(name: text, events: [event], hasMore: false)), 7),
            (.card, .card(CardFields(cards: [card], hasMore: false)), 9), (.mail, .mail(mail), 6),
        ]
        for (type, fields, count) in all {
            let page = try await place.page("a.csv", type, fields)
            #expect(!page.contains("<script>alert") && page.ranges(of: Self.harmless).count >= count, "\(type)")
        }
        try await place.harness.stop()
    }

    @Test
    func whatIsNotThere() async throws {
        let place = try await PreviewedFund()
        let making = try await place.page("a.ics", .calendar, nil, .making(ahead: 2))
        #expect(
            making.contains("The preview is being made.") && making.contains(#"<iframe class="viewer" src="/library"#))
        // The text instead.
        let failed = try await place.page("b.csv", .text, nil, .failed(.unsupported), contentType: "text/csv")
        #expect(failed.contains(#"<iframe class="viewer" src="/library"#) && !failed.contains(#"class="fields""#))
        let plain = try await place.page("c.csv", .text, nil, .failed(.unsupported), contentType: "text/plain")
        #expect(plain.contains("content?inline=true"))
        try await place.harness.stop()
    }
}

extension PreviewedFund {
    /// The page of a new file with these fields.
    fileprivate func page(
        _ name: String, _ type: TrueType?, _ fields: FileFields?, _ outcome: SamplePreviews.Outcome = .ready,
        contentType: String = "application/octet-stream", language: String = "en"
    ) async throws -> String {
        let file = try await put(name, contentType, outcome, type.map { FileInfo($0) }, ifTaken: .replace)
        previews.state.withLock { $0.fields[file.digest] = fields }
        return try await page(of: file, "", ["Accept-Language": language])
    }
}
