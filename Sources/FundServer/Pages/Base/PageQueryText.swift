internal import FundCore

/// Queries of our own links, as they are written.
enum PageQueryText {
    /// `?a=b&c=d` of the values that are not nil; empty without any.
    static func text(_ fields: [(name: String, value: String?)]) -> String {
        let pairs = fields.compactMap { field in
            field.value.map {
                "\(field.name)=\(PercentCoding.encoded($0) { ASCII.isAlphanumeric($0) || "-._~/".utf8.contains($0) })"
            }
        }
        return pairs.isEmpty ? "" : "?" + pairs.joined(separator: "&")
    }
}
