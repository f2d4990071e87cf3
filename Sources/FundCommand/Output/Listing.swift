internal import Foundation

/// What a command that lists things prints: a table, or one JSON object a line.
struct Listing<Element: Encodable> {
    let elements: [Element]
    /// Said instead of an empty table.
    let ifEmpty: String
    let columns: [Table.Column]
    let row: (Element) -> [String]

    /// Throws `CommandError` when standard output cannot be written.
    func write(json: Bool) throws {
        if json {
            for element in elements { try JSONLine.write(element) }
            return
        }
        guard !elements.isEmpty else { return try Console.line(ifEmpty) }
        try Console.write(Array(Table(columns, elements.map(row)).rendered(width: Console.outputWidth).utf8))
    }
}

/// One JSON object a line: keys in snake case, times as whole seconds since 1970.
enum JSONLine {
    static func write(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let seconds = date.timeIntervalSince1970.rounded()
            try container.encode(Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max))
        }
        try Console.write(Array(try encoder.encode(value)) + [UInt8(ascii: "\n")])
    }
}
