import ChildProcesses
import FundCore
import Testing

@testable import FundPreview

/// Output of a converter process that may have been taken over.
@Suite struct CheckedOutputTests {
    private static func fields(_ json: String, of type: TrueType) throws -> Converted {
        let file = try MemoryFile()
        try file.write(Array(json.utf8))
        return try CheckedOutput.of(Conversion(.fields, of: type), in: file)
    }

    @Test func fieldsAreChecked() throws {
        let calendar = #"{"kind":"calendar","events":[],"has_more":false}"#
        let none = FileFields.calendar(CalendarFields(name: nil, events: [], hasMore: false))
        #expect(try Self.fields(calendar, of: .calendar) == .fields(none))
        #expect(throws: RenditionFailure.crashed) { try Self.fields(calendar, of: .text) }
        #expect(throws: RenditionFailure.crashed) { try Self.fields("{}", of: .calendar) }
        let rows = Array(repeating: "[]", count: 43_000).joined(separator: ",")
        let more = #""has_more_rows":false,"has_more_columns":false"#
        let table = #"{"kind":"table","delimiter":",","rows":[\#(rows)],\#(more)}"#
        guard case .fields(.table(let checked)) = try Self.fields(table, of: .text) else {
            Issue.record("it is no table")
            return
        }
        #expect(checked.rows.count == 200 && checked.hasMoreRows)
    }
}
