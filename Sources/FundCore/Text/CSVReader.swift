/// Reads comma-separated values (RFC 4180) as programs of all kinds write them.
package enum CSVReader {
    /// One row of the table.
    package struct Row: Equatable {
        /// The line in which it begins, from 1.
        package var line: Int
        package var cells: [String]
    }

    /// A fault of a table as a whole, with its line.
    package struct Malformed: Error, Equatable {
        package var line: Int
        package var problem: String

        package init(line: Int, problem: String) { (self.line, self.problem) = (line, problem) }
    }

    /// A byte order mark is skipped, CRLF, LF and CR end a row, empty rows are left out. The delimiter is `;` or a tab
    /// when the first row has more of it than commas outside quotes.
    package static func rows(_ text: String) throws(Malformed) -> [Row] {
        let scalars = Array(text.unicodeScalars.drop { $0 == "\u{FEFF}" })
        let delimiter = Self.delimiter(scalars)
        var (rows, cells): ([Row], [String]) = ([], [])
        var cell = String.UnicodeScalarView()
        var (line, start, index) = (1, 1, 0)
        var isQuoted = false
        var wasQuoted = false

        func endCell() {
            cells.append(String(cell))
            cell = String.UnicodeScalarView()
            wasQuoted = false
        }
        func endRow() {
            endCell()
            if cells != [""] { rows.append(Row(line: start, cells: cells)) }
            cells = []
        }
        while index < scalars.count {
            let scalar = scalars[index]
            index += 1
            if isQuoted {
                if scalar == "\n" { line += 1 }
                guard scalar == "\"" else {
                    cell.append(scalar)
                    continue
                }
                if index < scalars.count, scalars[index] == "\"" {
                    cell.append(scalar)
                    index += 1
                } else {
                    isQuoted = false
                }
                continue
            }
            switch scalar {
            case delimiter: endCell()
            case "\r", "\n":
                if scalar == "\r", index < scalars.count, scalars[index] == "\n" { index += 1 }
                endRow()
                line += 1
                start = line
            case "\"" where cell.isEmpty && !wasQuoted:
                isQuoted = true
                wasQuoted = true
            case _ where wasQuoted && scalar != " ":
                throw Malformed(line: line, problem: "text after a closing quotation mark")
            default: cell.append(scalar)
            }
        }
        guard !isQuoted else { throw Malformed(line: start, problem: "a quotation mark is not closed") }
        if !cell.isEmpty || !cells.isEmpty || wasQuoted { endRow() }
        return rows
    }

    private static func delimiter(_ scalars: [Unicode.Scalar]) -> Unicode.Scalar {
        var counts: [Unicode.Scalar: Int] = [:]
        var isQuoted = false
        for scalar in scalars {
            if scalar == "\"" { isQuoted.toggle() }
            if isQuoted { continue }
            if scalar == "\n" || scalar == "\r" { break }
            if scalar == "," || scalar == ";" || scalar == "\t" { counts[scalar, default: 0] += 1 }
        }
        let (commas, semicolons, tabs) = (counts[","] ?? 0, counts[";"] ?? 0, counts["\t"] ?? 0)
        if tabs > max(commas, semicolons) { return "\t" }
        return semicolons > commas ? ";" : ","
    }
}
