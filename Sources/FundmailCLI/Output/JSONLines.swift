import FundCore
import Terminal

extension Listing {
    /// A listing whose JSON objects are written field by field.
    init(
        items: [Item], ifEmpty: String, columns: [Table.Column], row: @escaping (Item) -> [String],
        fields: @escaping (inout JSONWriter, Item) -> Void
    ) {
        self.init(items: items, ifEmpty: ifEmpty, columns: columns, row: row) { item in
            JSONWriter.line { fields(&$0, item) }
        }
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
