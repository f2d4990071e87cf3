/// Comma-separated values (RFC 4180) that a spreadsheet cannot mistake for formulas.
package struct CSVWriter {
    package private(set) var text = ""

    package init() {}

    /// Appends a row, with its end.
    package mutating func row(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// The rows since the last time, which it forgets: a long table is written in parts.
    package mutating func drain() -> String {
        defer { text = "" }
        return text
    }

    /// Controls but white space are removed: a terminal may show the table, and spreadsheets refuse some.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && ![9, 10, 13].contains(scalar.value)
    }

    /// A cell that begins with `= + - @` or a tab or CR would be run by a spreadsheet: an apostrophe makes it text.
    /// Cells are looked at past leading white space, and full-width forms count, because spreadsheets trim and fold.
    package static func cell(_ value: String) -> String {
        let clean = String(String.UnicodeScalarView(value.unicodeScalars.filter { !isControl($0) }))
        let first = clean.unicodeScalars.first { $0 != " " && $0 != "\u{A0}" && $0 != "\u{FEFF}" }
        let isFormula = first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
        let safe = isFormula ? "'" + clean : clean
        guard safe.unicodeScalars.contains(where: { ",\"\r\n".unicodeScalars.contains($0) }) || isFormula else {
            return safe
        }
        return "\"" + safe.replacing(scalar: "\"", with: "\"\"") + "\""
    }
}
