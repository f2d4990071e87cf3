import FundCore

/// Entries of a contact in one column: a line for each, of its purpose and its value behind a tab. Values hold neither.
enum ContactText {
    static func text(_ entries: [ContactEntry]) -> String {
        entries.map { "\($0.kind?.rawValue ?? "")\t\($0.value)" }.joined(separator: "\n")
    }

    static func entries(_ text: String) -> [ContactEntry] {
        lines(text).map { line in
            let parts = line.split(separator: "\t", maxSplits: 1, omittingEmptySubsequences: false)
            return ContactEntry(String(parts[parts.count - 1]), ContactEntry.Kind(rawValue: String(parts[0])))
        }
    }

    static func lines(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}
