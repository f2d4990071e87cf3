import FundCore

/// Comma-separated values (RFC 4180) that a spreadsheet cannot mistake for formulas.
struct CSVWriter {
    private(set) var text = ""

    mutating func row(_ cells: [String]) {
        text += cells.map(Self.cell).joined(separator: ",") + "\r\n"
    }

    /// Controls other than white space are removed: a table may be shown on a terminal, and spreadsheets refuse some of
    /// them.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control && ![9, 10, 13].contains(scalar.value)
    }

    /// A cell that begins with `= + - @` or a tab or CR would be run by a spreadsheet: an apostrophe makes it text.
    /// Cells are looked at past leading white space, and full-width forms count, because spreadsheets trim and fold.
    static func cell(_ value: String) -> String {
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
