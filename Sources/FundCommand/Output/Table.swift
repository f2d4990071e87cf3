/// Rows and columns for a terminal; the widest column that may shrink gives way when the terminal is too narrow.
struct Table {
    struct Column: ExpressibleByStringLiteral {
        var title: String
        var isNumber = false
        /// May be cut off with `…`, down to 12 columns.
        var shrinks = false

        init(stringLiteral title: String) { self.title = title }

        private init(_ title: String, isNumber: Bool, shrinks: Bool) {
            (self.title, self.isNumber, self.shrinks) = (title, isNumber, shrinks)
        }

        static func number(_ title: String) -> Column { Column(title, isNumber: true, shrinks: false) }
        static func shrinking(_ title: String) -> Column { Column(title, isNumber: false, shrinks: true) }
    }

    private static let gap = 2
    private static let narrowest = 12

    let columns: [Column]
    private let rows: [[String]]

    /// Cells are cleaned here: they come from servers.
    init(_ columns: [Column], _ rows: [[String]]) {
        self.columns = columns
        self.rows = rows.map { $0.map(TerminalText.clean) }
    }

    /// Lines with their ends.
    /// - Parameter width: of the terminal in columns; nil cuts nothing off.
    func rendered(width: Int?) -> String {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { max($0, TerminalText.width($1[index])) }
        }
        if let width { shrink(&widths, to: width) }
        return ([columns.map(\.title)] + rows).map { cells in
            let padded = cells.enumerated().map { index, cell in
                let text = TerminalText.truncate(cell, to: widths[index])
                return TerminalText.pad(text, to: widths[index], alignRight: columns[index].isNumber)
            }
            var line = padded.joined(separator: String(repeating: " ", count: Self.gap))
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
