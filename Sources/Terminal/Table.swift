/// Rows and columns for a terminal; the widest column that shrinks gives way when the terminal is too narrow.
package struct Table {
    /// Title and kind of a column.
    package struct Column: ExpressibleByStringLiteral {
        fileprivate var title: String
        /// Numbers stand on the right.
        fileprivate var isNumber = false
        /// Cells may be cut off with `…`, down to 12 columns.
        fileprivate var shrinks = false

        /// A column of text that is shown whole.
        package init(stringLiteral title: String) { self.title = title }

        /// A column whose cells stand on the right.
        package static func number(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.isNumber = true
            return column
        }

        /// A column whose cells are cut off with `…` where there is no room for them.
        package static func shrinking(_ title: String) -> Column {
            var column = Column(stringLiteral: title)
            column.shrinks = true
            return column
        }
    }

    /// Usual limit of a shrinking column's width where there is no terminal: a sender may write a name of any length.
    package static let widest = 200
    private static let gap = 2
    private static let narrowest = 12

    private let columns: [Column]
    private var rows: [[String]]

    /// Cells are cleaned here, and in `add`: they may come from mail or from servers.
    package init(_ columns: [Column], _ rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows.map { $0.map(TerminalText.clean) }
    }

    /// Appends a row, with one cell for each column.
    package mutating func add(_ cells: [String]) { rows.append(cells.map(TerminalText.clean)) }

    /// Lines with their ends.
    /// - Parameters:
    ///   - width: columns of the terminal; nil where there is none.
    ///   - indent: text before each line.
    ///   - widest: limit of a shrinking column's width, whatever the terminal has.
    package func rendered(width: Int?, indent: String = "", widest: Int = Table.widest) -> String {
        var widths = columns.indices.map { index in
            let width = rows.reduce(TerminalText.width(columns[index].title)) {
                max($0, TerminalText.width($1[index]))
            }
            return columns[index].shrinks ? min(width, widest) : width
        }
        if let width { shrink(&widths, to: width - indent.utf8.count) }
        let hasTitles = columns.contains { !$0.title.isEmpty }
        return ((hasTitles ? [columns.map(\.title)] : []) + rows).map { cells in
            let padded = cells.enumerated().map { index, cell in
                let text = TerminalText.truncate(cell, to: widths[index])
                return TerminalText.pad(text, to: widths[index], alignRight: columns[index].isNumber)
            }
            var line = indent + padded.joined(separator: String(repeating: " ", count: Self.gap))
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    private func shrink(_ widths: inout [Int], to limit: Int) {
        var excess = widths.reduce(0, +) + Self.gap * (widths.count - 1) - limit
        while excess > 0 {
            let candidates = columns.indices.filter { columns[$0].shrinks && widths[$0] > Self.narrowest }
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { return }
            widths[widest] -= 1
            excess -= 1
        }
    }
}
