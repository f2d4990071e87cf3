import FundCore

/// Enclosures of an item in one column: a line for each, of address, type and size with tabs between them. Addresses
/// and types hold neither.
enum NewsText {
    static func text(_ enclosures: [NewsEnclosure]) -> String {
        enclosures.map { "\($0.address)\t\($0.contentType ?? "")\t\($0.size.map(String.init) ?? "")" }
            .joined(separator: "\n")
    }

    static func enclosures(_ text: String) -> [NewsEnclosure] {
        text.split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            return NewsEnclosure(
                address: String(parts[0]), contentType: parts[1].isEmpty ? nil : String(parts[1]),
                size: Int64(parts[2]))
        }
    }
}
