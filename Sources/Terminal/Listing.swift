/// Output of a command that lists things: a table, or one JSON object a line.
package struct Listing<Item> {
    private let items: [Item]
    private let ifEmpty: String
    private let columns: [Table.Column]
    private let widest: Int
    private let row: (Item) -> [String]
    private let line: (Item) throws -> [UInt8]

    /// - Parameters:
    ///   - ifEmpty: sentence that stands for an empty table.
    ///   - widest: limit of a shrinking column's width where there is no terminal, in columns.
    ///   - row: cells of an item's row.
    ///   - line: JSON object of an item, with the end of its line.
    package init(
        items: [Item], ifEmpty: String, columns: [Table.Column], widest: Int = Table.widest,
        row: @escaping (Item) -> [String], line: @escaping (Item) throws -> [UInt8]
    ) {
        (self.items, self.ifEmpty, self.columns, self.widest) = (items, ifEmpty, columns, widest)
        (self.row, self.line) = (row, line)
    }

    /// Throws `CommandError` when standard output cannot be written.
    package func write(json: Bool) throws {
        if json { return try items.forEach { try Console.write(line($0)) } }
        guard !items.isEmpty else { return try Console.line(ifEmpty) }
        try Console.write(Table(columns, items.map(row)).rendered(width: Console.outputWidth, widest: widest))
    }
}
