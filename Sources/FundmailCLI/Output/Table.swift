import FundCore

/// Rows and columns for a terminal; the widest column gives way when the terminal is too narrow.
struct Table {
    struct Column: ExpressibleByStringLiteral {
        var title: String
        var isNumber = false
        /// May be cut off with `…`, down to 12 columns.
        var shrinks = false

        static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }
        static func shrinking(_ title: String) -> Column { Column(title: title, shrinks: true) }
    }

    let columns: [Column]
    private var rows: [[String]]
    private static let gap = 2
    private static let narrowest = 12
    /// Of a column that shrinks, where there is no terminal: a sender may write a name of any length.
    private static let widest = 200

    /// Cells are cleaned here, and in `add`: they may come from mail.
    init(_ columns: [Column], _ rows: [[String]] = []) {
        self.columns = columns
        self.rows = rows.map { $0.map(TerminalText.clean) }
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(TerminalText.clean)) }

    /// Lines with their ends. `indent` is put before each line.
    func rendered(width: Int?, indent: String = "") -> String {
        var widths = columns.indices.map { index in
            let width = rows.reduce(TerminalText.width(columns[index].title)) {
                max($0, TerminalText.width($1[index]))
            }
            return columns[index].shrinks ? min(width, Self.widest) : width
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

extension Table.Column {
    init(stringLiteral title: String) { self.init(title: title) }
}

/// What a command that lists things prints: a table, or one JSON object a line.
struct Listing<Item> {
    let items: [Item]
    /// Said instead of an empty table.
    let ifEmpty: String
    let columns: [Table.Column]
    let row: (Item) -> [String]
    let fields: (inout JSONWriter, Item) -> Void

    /// Throws `CommandError` when standard output cannot be written.
    func write(json: Bool) throws {
        if json { return try Console.write(JSONWriter.lines(items, fields)) }
        guard !items.isEmpty else { return try Console.line(ifEmpty) }
        try Console.write(Table(columns, items.map(row)).rendered(width: Console.outputWidth))
    }
}

extension JSONWriter {
    /// One object and the end of its line.
    static func line(_ fill: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter()
        writer.object(fill)
        writer.endLine()
        return writer.bytes
    }

    /// A line for each element.
    static func lines<Element>(
        _ elements: [Element], _ fill: (inout JSONWriter, Element) -> Void
    ) -> [UInt8] {
        elements.flatMap { element in line { fill(&$0, element) } }
    }
}
