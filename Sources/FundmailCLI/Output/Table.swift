/// Rows and columns for a terminal; the widest column gives way when the terminal is too narrow.
struct Table {
    struct Column {
        var title: String
        var isNumber = false
        /// May be cut off with `…`, down to 12 columns.
        var shrinks = false
    }

    var columns: [Column]
    private var rows: [[String]] = []
    private static let gap = 2
    private static let narrowest = 12

    init(_ columns: [Column]) { self.columns = columns }

    var isEmpty: Bool { rows.isEmpty }

    /// Cells are cleaned here: they may come from mail.
    mutating func add(_ cells: [String]) { rows.append(cells.map(TerminalText.clean)) }

    /// Lines with their ends. `indent` is put before each line.
    func rendered(width: Int?, indent: String = "") -> String {
        var widths = columns.indices.map { index in
            rows.reduce(TerminalText.width(columns[index].title)) { max($0, TerminalText.width($1[index])) }
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
