import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// Rows and fields by a converter process.
@Suite(.startsPrograms) struct FieldTests {
    private static func table(_ rows: [[String]], _ delimiter: String = ",") -> Outcome {
        .fields(.table(TableFields(delimiter: delimiter, rows: rows, hasMoreRows: false, hasMoreColumns: false)))
    }

    @Test func tablesOfAllEncodings() async throws {
        let rows = [["基金", "净值"], ["一号", "1.25"]]
        let text = "基金,净值\r\n一号,1.25\r\n"
        #expect(try await Outcome.of(.fields, Array(text.utf8)) == Self.table(rows))
        #expect(try await Outcome.of(.fields, Array("\u{FEFF}\(text)".utf8)) == Self.table(rows))
        // A text as Excel writes "Unicode text".
        let units = Array("\u{FEFF}基金\t净值\r\n一号\t1.25\r\n".utf16)
        let wide: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        #expect(try await Outcome.of(.fields, wide) == Self.table(rows, "\t"))
        // GB 18030, twelve times so that it is recognised.
        let row: [UInt8] = [0xBB, 0xF9, 0xBD, 0xF0, 0x2C, 0xBE, 0xBB, 0xD6, 0xB5, 0x0A]
        let chinese = Array(repeating: row, count: 12).flatMap(\.self)
        #expect(try await Outcome.of(.fields, chinese) == Self.table(Array(repeating: ["基金", "净值"], count: 12)))
        // Line ends of old Macs.
        #expect(try await Outcome.of(.fields, Array("a;b\rc;d".utf8)) == Self.table([["a", "b"], ["c", "d"]], ";"))
    }

    @Test func calendarsAndCards() async throws {
        let event = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Board\r\n  meeting\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
        guard case .fields(.calendar(let calendar)) = try await Outcome.of(.fields, Array(event.utf8)) else {
            Issue.record("no calendar")
            return
        }
        #expect(calendar.events.map(\.title) == ["Board meeting"])
        // The search reads what is folded as one word.
        let words = try #require(try await Outcome.of(.text, Array(event.utf8)).text)
        #expect(words.contains("SUMMARY: Board meeting\n"))
        let card = "BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nEND:VCARD\n"
        guard case .fields(.card(let cards)) = try await Outcome.of(.fields, Array(card.utf8)) else {
            Issue.record("no card")
            return
        }
        #expect(cards.cards.map(\.name) == ["Ann"])
    }

    @Test func whatHasNone() async throws {
        #expect(try await Outcome.of(.fields, Array("only words\n".utf8)) == .failed(.unsupported))
        #expect(try await Outcome.of(.fields, Array("a,b\u{0}\n".utf8), as: .text) == .failed(.damaged))
        #expect(try await Outcome.of(.fields, Array("%PDF-1.4\n".utf8)) == .failed(.unsupported))
        let mail = "From: a@example.com\nTo: b@example.com\nSubject: x\nDate: Thu, 1 Jan 2026 00:00:00 +0000\n\nx"
        #expect(try await Outcome.of(.fields, Array(mail.utf8)) == .failed(.unsupported))
        #expect(try await Outcome.of(.fields, Array("BEGIN:VCALENDAR\nEND:VCALENDAR\n".utf8)) == .failed(.unsupported))
    }

    /// Two bytes of UTF-16 are one of UTF-8: what was read of the file is shorter than what may be shown.
    @Test func largeUTF16() async throws {
        let units = Array("\u{FEFF}a\t\(String(repeating: "word ", count: 300_000))".utf16)
        let bytes: [UInt8] = units.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] as [UInt8] }
        guard case .fields(.table(let table)) = try await Outcome.of(.fields, bytes) else {
            Issue.record("no table")
            return
        }
        #expect(table.rows.count == 1 && table.hasMoreRows)
    }

    /// A megabyte of anything fits into what a process answers.
    @Test func largeTables() async throws {
        let row = Array(repeating: "\"\"\"\"\"\"", count: 40).joined(separator: ",") + "\n"
        let text = String(repeating: row, count: 20_000)
        guard case .fields(.table(let table)) = try await Outcome.of(.fields, Array(text.utf8)) else {
            Issue.record("no table")
            return
        }
        #expect(table.rows.count == 200 && table.hasMoreRows && table.rows[0].count == 40)
    }
}
