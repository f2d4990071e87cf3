import Testing

@testable import FundCore

/// Reads JSON that a converter process may write in place of the fields of a file.
@Suite struct FileFieldsCheckTests {
    private static func checked(_ json: String, _ type: TrueType) -> FileFields? {
        FileFields(json: Array(json.utf8))?.checked(for: type)
    }

    private static func table(_ rows: String, delimiter: String = ",") -> String {
        #"{"kind":"table","delimiter":"\#(delimiter)","rows":[\#(rows)],"has_more_rows":false,"#
            + #""has_more_columns":false}"#
    }

    /// - Parameter members: of its one event.
    private static func calendar(_ members: String) -> String {
        let event = #"{"attendees":[],"has_more_attendees":false,\#(members)}"#
        return #"{"kind":"calendar","events":[\#(event)],"has_more":false}"#
    }

    private static func list(_ item: String, _ count: Int) -> String {
        Array(repeating: item, count: count).joined(separator: ",")
    }

    /// One wide row, and many to be filled up to it.
    @Test func tables() throws {
        let cells = Self.list("\"\"", 43_000)
        let wide = Self.table("[\(cells)]," + Self.list("[]", 43_000))
        guard case .table(let table)? = Self.checked(wide, .text) else {
            Issue.record("it is no table")
            return
        }
        #expect(table.rows.count == 200 && table.rows[0].count == 50 && table.rows[1].isEmpty)
        #expect(table.hasMoreRows && table.hasMoreColumns)
        let long = String(repeating: "a", count: 10_000)
        guard case .table(let other)? = Self.checked(Self.table(#"["\#(long)","\u202Ea\u0007\nb"]"#), .text) else {
            Issue.record("it is no table")
            return
        }
        #expect(other.rows[0].map(\.utf8.count) == [503, 3] && other.rows[0][1] == "a b")
        #expect(!other.hasMoreRows && !other.hasMoreColumns)
        #expect(Self.checked(Self.table("[]", delimiter: "x"), .text) == nil)
    }

    @Test func kinds() {
        let mail = #"{"kind":"mail","from":[],"to":[],"cc":[],"attachments":[],"is_cut":false}"#
        let card = #"{"kind":"card","cards":[],"has_more":false}"#
        let calendar = #"{"kind":"calendar","events":[],"has_more":false}"#
        for type in TrueType.allCases {
            #expect(Self.checked(mail, type) == nil)
            #expect((Self.checked(Self.table(""), type) != nil) == (type == .text))
            #expect((Self.checked(card, type) != nil) == (type == .card))
            #expect((Self.checked(calendar, type) != nil) == (type == .calendar))
        }
    }

    @Test(arguments: [
        (#"{"date":"2026-11-25"}"#, true), (#"{"date":"2024-02-29","time":"23:59:59","zone":"UTC"}"#, true),
        (#"{"date":"2026-02-29"}"#, false), (#"{"date":"2026-13-01"}"#, false), (#"{"date":"2026-11-00"}"#, false),
        (#"{"date":"0000-01-01"}"#, false), (#"{"date":"2026-1-001"}"#, false), (#"{"date":"2026-11-25-"}"#, false),
        (#"{"date":""}"#, false), (#"{"date":"+026-11-25"}"#, false), (#"{"date":"20261125"}"#, false),
        (#"{"date":"2026-11-25","time":"24:00:00"}"#, false), (#"{"date":"2026-11-25","time":"09:60:00"}"#, false),
        (#"{"date":"2026-11-25","time":"09:00"}"#, false), (#"{"date":"2026-11-25","time":""}"#, false),
    ])
    func dates(time: String, isTime: Bool) {
        for member in ["start", "end"] {
            let json = Self.calendar(#""\#(member)":\#(time)"#)
            #expect((Self.checked(json, .calendar) != nil) == isTime)
        }
    }

    @Test func events() throws {
        let person = #"{"name":"\u2066a","state":"owner"}"#
        let event = #"{"attendees":[\#(Self.list(person, 60))],"has_more_attendees":false,"title":"a\tb\u0001"}"#
        let json = #"{"kind":"calendar","events":[\#(Self.list(event, 101))],"has_more":false}"#
        guard case .calendar(let calendar)? = Self.checked(json, .calendar) else {
            Issue.record("it is no calendar")
            return
        }
        let first = try #require(calendar.events.first)
        #expect(calendar.events.count == 100 && calendar.hasMore && first.title == "a b")
        #expect(first.attendees == Array(repeating: FieldPerson(name: "a"), count: 50) && first.hasMoreAttendees)
    }

    @Test func cards() throws {
        let entry = #"{"value":"1","types":["work","x","work"]}"#
        let card =
            #"{"telephones":[\#(Self.list(entry, 21))],"mails":[],"addresses":[],"sites":[],"#
            + #""note":"\u202Ea\nb\#(String(repeating: "c", count: 100))"}"#
        let json = #"{"kind":"card","cards":[\#(Self.list(card, 101))],"has_more":false}"#
        guard case .card(let cards)? = Self.checked(json, .card) else {
            Issue.record("it is no card")
            return
        }
        let first = try #require(cards.cards.first)
        #expect(cards.cards.count == 100 && cards.hasMore && first.note?.hasPrefix("a\nbc") == true)
        let work = CardFields.Entry(value: "1", types: [.work])
        #expect(first.telephones == Array(repeating: work, count: 20))
    }
}
