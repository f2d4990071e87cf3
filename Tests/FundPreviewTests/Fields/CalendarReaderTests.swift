import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite struct CalendarReaderTests {
    private static func fields(_ lines: String) -> CalendarFields? {
        CalendarReader.fields(of: Array(lines.replacing("\n", with: "\r\n").utf8), isWhole: true)
    }

    private static func event(_ properties: String) -> CalendarFields.Event? {
        fields("BEGIN:VCALENDAR\nBEGIN:VEVENT\n\(properties)\nEND:VEVENT\nEND:VCALENDAR\n")?.events.first
    }

    private static func shanghai(_ time: String) -> CalendarTime {
        CalendarTime(CivilDate(year: 2026, month: 11, day: 25), ClockTime(time), zone: .named("Asia/Shanghai"))
    }

    @Test func readsAnInvitation() throws {
        let calendar = try #require(
            Self.fields(
                """
                BEGIN:VCALENDAR
                VERSION:2.0
                X-WR-CALNAME:Fund IV
                BEGIN:VTIMEZONE
                TZID:Asia/Shanghai
                BEGIN:STANDARD
                DTSTART:19700101T000000
                END:STANDARD
                END:VTIMEZONE
                BEGIN:VEVENT
                SUMMARY:Investment
                  committee\\, autumn\\nmeeting
                DTSTART;TZID=Asia/Shanghai:20261125T090000
                DTEND;TZID=Asia/Shanghai:20261125T103000
                LOCATION:陆家嘴环路 1000 号
                ORGANIZER;CN="Zhang, San";SENT-BY="mailto:jane@exam
                 ple.com":mailto:zhang@example.com
                ATTENDEE;PARTSTAT=ACCEPTED;CN=Ann:MAILTO:ann@example.com
                ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:bea@example.com
                STATUS:CONFIRMED
                RRULE:FREQ=WEEKLY;BYDAY=WE
                URL:https://example.com/a?b=c
                DESCRIPTION:Agenda:\\n1. NAV\\n2. Fees
                BEGIN:VALARM
                DESCRIPTION:Reminder
                END:VALARM
                END:VEVENT
                END:VCALENDAR

                """))
        let event = try #require(calendar.events.first)
        #expect(calendar.name == "Fund IV" && calendar.events.count == 1 && !calendar.hasMore)
        #expect(event.title == "Investment committee, autumn meeting" && event.place == "陆家嘴环路 1000 号")
        #expect(event.start == Self.shanghai("09:00:00"))
        #expect(event.end == Self.shanghai("10:30:00"))
        #expect(event.organiser == FieldPerson(name: "Zhang, San", address: "zhang@example.com"))
        #expect(
            event.attendees == [
                FieldPerson(name: "Ann", address: "ann@example.com", state: .accepted),
                FieldPerson(address: "bea@example.com"),
            ])
        #expect(event.status == .confirmed && event.repeats == "FREQ=WEEKLY;BYDAY=WE")
        #expect(event.site == "https://example.com/a?b=c" && event.description == "Agenda:\n1. NAV\n2. Fees")
    }

    @Test(arguments: [
        // RFC 5545 §3.3.5 and §3.3.6.
        ("DTSTART:20261125T090000Z\nDURATION:PT1H30M", "2026-11-25 09:00:00 UTC", "2026-11-25 10:30:00 UTC"),
        ("DTSTART:20261231T233000\nDURATION:PT45M", "2026-12-31 23:30:00 ", "2027-01-01 00:15:00 "),
        ("DTSTART:20260101T000000\nDURATION:-P1DT1S", "2026-01-01 00:00:00 ", "2025-12-30 23:59:59 "),
        ("DTSTART;VALUE=DATE:20261125\nDTEND;VALUE=DATE:20261128", "2026-11-25", "2026-11-27"),
        ("DTSTART;VALUE=DATE:20261125\nDTEND;VALUE=DATE:20261126", "2026-11-25", nil),
        ("DTSTART;VALUE=DATE:20260228\nDURATION:P2W", "2026-02-28", "2026-03-13"),
        ("DTSTART;VALUE=DATE:20261125\nDTEND;VALUE=DATE:20201125", "2026-11-25", nil),
        ("DTSTART:20261125T090000Z\nDTEND:20261125T090000Z", "2026-11-25 09:00:00 UTC", nil),
        ("DTSTART:20240229T090060", "2024-02-29 09:00:59 ", nil),
        // No days, no times.
        ("DTSTART:20260229T090000", nil, nil), ("DTSTART:20261301", nil, nil), ("DTSTART:20261100", nil, nil),
        ("DTSTART:00000101", nil, nil), ("DTSTART:20261125T250000", nil, nil), ("DTSTART:20261125X090000", nil, nil),
        ("DTSTART:2026-11-25", nil, nil), ("DTSTART:\u{FF12}0261125", nil, nil), ("DTSTART:", nil, nil),
        ("DTSTART:99991231T230000Z\nDURATION:P1D", "9999-12-31 23:00:00 UTC", nil),
        ("DTSTART:20261125T090000Z\nDURATION:P99999999W", "2026-11-25 09:00:00 UTC", nil),
        ("DTSTART:20261125T090000Z\nDURATION:PT", "2026-11-25 09:00:00 UTC", nil),
    ])
    func readsTimes(lines: String, start: String?, end: String?) {
        func text(_ time: CalendarTime?) -> String? {
            time.map { time in time.day.text + (time.clock.map { " \($0.text) \(time.zone?.name ?? "")" } ?? "") }
        }
        let event = Self.event("SUMMARY:x\n" + lines)
        #expect(text(event?.start) == start && text(event?.end) == end)
    }

    @Test func readsTasks() throws {
        let task = try #require(
            Self.fields("BEGIN:VCALENDAR\nBEGIN:VTODO\nSUMMARY:Sign\nDUE;VALUE=DATE:20261201\nEND:VTODO\n")?.events
                .first)
        #expect(task.title == "Sign" && task.end == CalendarTime(CivilDate(year: 2026, month: 12, day: 1)))
    }

    @Test func whatIsBroken() {
        #expect(Self.fields("BEGIN:VCALENDAR\nEND:VCALENDAR\n") == nil)
        #expect(Self.event("SUMMARY:x\nno colon\n:no name\nX;A=\"b:c:SUMMARY:y\nEND:") != nil)
        // A stray quotation mark in a line that is folded.
        #expect(Self.event("LOCATION;X=\"a\n b:c\n d\nSUMMARY:y")?.place == "cd")
        // RFC 6868 §3.1.
        #expect(Self.event("ORGANIZER;CN=a^^n^'b^x^:mailto:a@b")?.organiser?.name == "a^n\"b^x^")
        // Never closed, opened twice, closed twice, closed by another.
        #expect(
            Self.fields("BEGIN:VEVENT\nSUMMARY:a\nBEGIN:VEVENT\nSUMMARY:b")?.events.compactMap(\.title) == ["a", "b"])
        #expect(Self.fields("BEGIN:VEVENT\nSUMMARY:a\nEND:VCALENDAR\nEND:VEVENT\nEND:VEVENT\n")?.events.count == 1)
        let deep = String(repeating: "BEGIN:VALARM\n", count: 100_000)
        #expect(Self.fields("BEGIN:VEVENT\nSUMMARY:a\n\(deep)SUMMARY:b\nEND:VEVENT")?.events.map(\.title) == ["a"])
    }

    @Test func bounds() throws {
        let many = String(repeating: "BEGIN:VEVENT\nSUMMARY:a\nEND:VEVENT\n", count: 1000)
        let calendar = try #require(Self.fields("BEGIN:VCALENDAR\n" + many))
        #expect(calendar.events.count == 100 && calendar.hasMore)
        let exact = String(repeating: "BEGIN:VEVENT\nSUMMARY:a\nEND:VEVENT\n", count: 100)
        #expect(Self.fields(exact + "END:VCALENDAR\n")?.hasMore == false)
        let unclosed = try #require(Self.fields(String(repeating: "BEGIN:VEVENT\nSUMMARY:a\n", count: 200)))
        #expect(unclosed.events.count == 100 && unclosed.hasMore)
        let people = String(repeating: "ATTENDEE:mailto:a@example.com\n", count: 10_000)
        let event = try #require(Self.event("SUMMARY:x\n" + people))
        #expect(event.attendees.count == 50 && event.hasMoreAttendees)
        // Whatever stands in it, the JSON has its bounds.
        let long = String(repeating: "\\\\\"", count: 3000)
        let full = (0..<100).map { _ in
            "BEGIN:VEVENT\nDTSTART;TZID=\(String(repeating: "z", count: 90)):20261125T090000\nSUMMARY:\(long)\n"
                + "DESCRIPTION:\(long)\n\(String(repeating: "ATTENDEE;CN=\"a\":b\n", count: 50))END:VEVENT\n"
        }
        let filled = try #require(Self.fields(full.joined()))
        #expect(filled.hasMore)
        let json = try FileFields.calendar(filled).json()
        #expect(json.count <= FileFields.maxBytes && FileFields(json: json) == .calendar(filled))
        #expect(FileFields.calendar(filled).checked(for: .calendar) == .calendar(filled))
    }

    /// Lines that are folded at each byte, and none that ends.
    @Test func foldedLines() {
        let folded = String(repeating: "\n x", count: 350_000)
        let time = processorTime {
            #expect(Self.event("SUMMARY:a\(folded)\nLOCATION:b")?.title?.hasPrefix("axxx") == true)
            #expect(Self.event("SUMMARY:a\(folded)\nLOCATION:b")?.place == "b")
            // Without a colon, and behind many names of parameters.
            #expect(Self.event("SUMMARY\(folded)\nLOCATION:b")?.place == "b")
            #expect(Self.event("SUMMARY;\(String(repeating: "a;", count: 400_000)):x\nLOCATION:b")?.place == "b")
            #expect(Self.event("SUMMARY:\(String(repeating: "\\", count: 1_000_000))\nLOCATION:b")?.place == "b")
        }
        #expect(time < .seconds(20))
        #expect(Self.event("SUMM\n ARY;X=1\n 2:a\n b")?.title == "ab")
    }
}
