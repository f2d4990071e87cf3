import FundCore

/// Names of which only the key is left by which they are compared.
enum LostNames {
    /// Usual spellings of the name of a key, the key itself among them.
    static func likely(_ key: String, _ keyOf: (String) -> String) -> [String] {
        func capitalized(_ text: some StringProtocol) -> String { text.prefix(1).uppercased() + text.dropFirst() }
        let words = key.split(separator: " ", omittingEmptySubsequences: false).map { capitalized($0) }
        return [key, capitalized(key), words.joined(separator: " "), key.uppercased()].filter { keyOf($0) == key }
    }

    /// The name of a file that came under `sent`, where it may have been numbered; nil where it is called otherwise.
    static func numbered(_ sent: String, as key: String) -> String? {
        guard FileName.key(sent) != key else { return sent }
        let parts = FileNameParts(sent)
        let base = FileName.numbering(parts.stem).base
        let (head, tail) = (FileName.key(base), FileName.key(parts.suffix))
        guard key.hasPrefix(head), key.hasSuffix(tail), key.count > head.count + tail.count else { return nil }
        let name = base + key.dropFirst(head.count).dropLast(tail.count) + parts.suffix
        return FileName.key(name) == key ? name : nil
    }
}
