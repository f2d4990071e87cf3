import Foundation
import Terminal

extension Listing where Item: Encodable {
    /// A listing of which nothing is cut off where there is no terminal.
    init(items: [Item], ifEmpty: String, columns: [Table.Column], row: @escaping (Item) -> [String]) {
        self.init(
            items: items, ifEmpty: ifEmpty, columns: columns, widest: .max, row: row
        ) {
            try JSONLine.bytes($0)
        }
    }
}

/// One JSON object a line: keys in snake case, times as whole seconds since 1970.
enum JSONLine {
    static func write(_ value: some Encodable) throws { try Console.write(bytes(value)) }

    static func bytes(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            let seconds = date.timeIntervalSince1970.rounded()
            try container.encode(Int64(exactly: seconds) ?? (seconds < 0 ? .min : .max))
        }
        return Array(try encoder.encode(value)) + [UInt8(ascii: "\n")]
    }
}
