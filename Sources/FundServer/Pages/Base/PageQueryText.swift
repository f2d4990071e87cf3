internal import FundCore

/// Queries of our own links, as they are written.
enum PageQueryText {
    /// `?a=b&c=d` of the values that are not nil; empty without any.
    static func text(_ fields: [(name: String, value: String?)]) -> String {
        let fields = fields.compactMap { field in field.value.map { (name: field.name, value: $0) } }
        let text = PercentCoding.joined(fields) { PercentCoding.isUnreserved($0) || $0 == UInt8(ascii: "/") }
        return text.isEmpty ? "" : "?" + text
    }
}
