import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// Comma-separated values and what calls itself so.
@Suite struct TableReaderTests {
    private static func fields(_ text: String, isWhole: Bool = true) -> TableFields? {
        TableReader.fields(of: Array(text.utf8), isWhole: isWhole)
    }

    private static func rows(_ text: String) -> [[String]] { fields(text)?.rows ?? [] }

    @Test(arguments: [
        ("a,b\r\nc,d\r\n", ",", [["a", "b"], ["c", "d"]]),
        ("a;b\nc;d", ";", [["a", "b"], ["c", "d"]]),
        ("a\tb\rc\td", "\t", [["a", "b"], ["c", "d"]]),
        // Numbers with commas.
        ("Fonds;NAV\nA;1,5\nB;2,5\n", ";", [["Fonds", "NAV"], ["A", "1,5"], ["B", "2,5"]]),
        ("sep=;\na;b,c\n", ";", [["a", "b,c"]]),
        // RFC 4180 §2: line ends, delimiters and quotation marks within quotes.
        ("\"a,1\",\"b\"\"c\"\"\"\n\"d\ne\",f", ",", [["a,1", "b\"c\""], ["d e", "f"]]),
        ("名前,金額\n山田,100\n", ",", [["名前", "金額"], ["山田", "100"]]),
        // A title above the table, empty lines, rows of other lengths.
        ("Report\n\na,b\nc,d\n,\ne", ",", [["Report"], ["a", "b"], ["c", "d"], ["", ""], ["e"]]),
        // Formulas are texts.
        ("=1+1,@SUM(A1)\n+cmd|'/C calc'!A0,-2", ",", [["=1+1", "@SUM(A1)"], ["+cmd|'/C calc'!A0", "-2"]]),
        // Tables that other programs write.
        ("a, \"b, c\"\nd,e", ",", [["a", "b, c"], ["d", "e"]]),
        ("\"a\"x,b\nc,d", ",", [["ax", "b"], ["c", "d"]]),
        ("a,5\" pipe\nb,6\" pipe", ",", [["a", "5\" pipe"], ["b", "6\" pipe"]]),
    ])
    func readsRows(text: String, delimiter: String, rows: [[String]]) {
        let fields = Self.fields(text)
        #expect(fields?.rows == rows && fields?.delimiter == delimiter)
        #expect(fields?.hasMoreRows == false && fields?.hasMoreColumns == false)
    }

    @Test(arguments: [
        "", "\n\n", "word", "one\ntwo\nthree", "sep=;", "\"",
        "Dear all,\nplease find attached the report.\nIt is long.\nBye",
    ])
    func whatIsNoTable(text: String) { #expect(Self.fields(text) == nil) }

    /// A quotation mark that is never closed is a character; rows behind it are rows.
    @Test func strayQuotes() {
        #expect(Self.rows("a,\"b\nc,d\n") == [["a", "\"b"], ["c", "d"]])
        let many = String(repeating: "a,\"\"\"x\n", count: 100_001)
        let time = processorTime { #expect(Self.rows(many).count == 200) }
        #expect(time < .seconds(5))
    }

    @Test func bounds() throws {
        let wide = try #require(Self.fields(String(repeating: "x,", count: 1_000_000) + "\ny,z\n"))
        #expect(wide.rows.map(\.count) == [50, 2] && wide.hasMoreColumns && !wide.hasMoreRows)
        let long = try #require(Self.fields(String(repeating: "a,b\n", count: 300)))
        #expect(long.rows.count == 200 && long.hasMoreRows && !long.hasMoreColumns)
        let exact = try #require(Self.fields(String(repeating: "a,b\n", count: 200)))
        #expect(exact.rows.count == 200 && !exact.hasMoreRows)
        let cell = try #require(Self.fields("a,\(String(repeating: "基", count: 300_000))\n"))
        #expect(cell.rows[0][1].utf8.count <= 503 && cell.rows[0][1].hasSuffix("基…"))
        #expect(Self.fields("a,b\nc,d", isWhole: false)?.hasMoreRows == true)
        // Blanks, then quotation marks: each byte is looked at once.
        let blank = "a," + String(repeating: " ", count: 400) + "x" + String(repeating: "\"", count: 900_000)
        #expect(Self.rows(blank + "\nb,c").count == 2)
    }

    /// Whatever stands in it, the JSON has its bounds, is valid, and comes back as it was.
    @Test func jsonIsBounded() throws {
        let cell = String(repeating: "\\\"", count: 250)
        let row = Array(repeating: "\"" + cell.replacing("\"", with: "\"\"") + "\"", count: 50).joined(separator: ",")
        let table = try #require(Self.fields(Array(repeating: row, count: 30).joined(separator: "\n")))
        #expect(table.hasMoreRows && !table.rows.isEmpty)
        let json = try FileFields.table(table).json()
        #expect(json.count <= FileFields.maxBytes)
        #expect(FileFields(json: json) == .table(table))
        #expect(FileFields.table(table).checked(for: .text) == .table(table))
        #expect(FileFields(json: json + Array(repeating: 0x20, count: FileFields.maxBytes)) == nil)
    }

    /// Nothing commands a terminal or turns what stands around it.
    @Test func controlsGo() {
        #expect(Self.rows("a\u{202E}b,\u{1B}[31mc\nd\u{85}e,\u{2066}f") == [["ab", "[31mc"], ["d e", "f"]])
    }

    @Test func anythingIsRead() throws {
        let pieces = Array("\",;\t\n\rab ".utf8)
        for seed in 1...2000 as ClosedRange<UInt64> {
            let bytes = randomBytes(Int(seed % 64), seed: seed).map { pieces[Int($0) % pieces.count] }
            guard let table = TableReader.fields(of: bytes, isWhole: true) else { continue }
            #expect(table.rows.allSatisfy { !$0.isEmpty })
            let fields = FileFields.table(table)
            let json = try fields.json()
            #expect(json.count <= FileFields.maxBytes && FileFields(json: json) == fields, "seed \(seed)")
            #expect(fields.checked(for: .text) == fields, "seed \(seed)")
        }
    }
}
