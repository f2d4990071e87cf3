/// One `Received` field (RFC 5321 §4.4), as far as trust needs it.
struct ReceivedField {
    private let words: [String]

    init(_ text: String) {
        var depth = 0
        var isBalanced = true
        var plain = ""
        for scalar in text.prefix(4096).unicodeScalars {
            switch scalar {
            case "(": depth += 1
            case ")": depth -= 1
            case ";" where depth == 0: plain += " ; "
            // A stranger's name may hold these, and with them hide the server's own words in a comment.
            case "\"", "\\": isBalanced = false
            default: if depth == 0 { plain.unicodeScalars.append(scalar) }
            }
            if depth < 0 { isBalanced = false }
        }
        words =
            !isBalanced || depth != 0 ? [] : plain.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Whether `host` itself wrote it when it took the message from one of its own processes: over LMTP, or with no
    /// `from` at all. A stranger can choose the name that stands after `from`, so a field in which any of the words
    /// stands twice is not believed.
    func isLocalHandover(at host: String) -> Bool {
        guard words.count(where: { $0 == "by" }) == 1, let by = words.firstIndex(of: "by"), by + 1 < words.count,
            DomainName.aLabels(words[by + 1]) == DomainName.aLabels(host)
        else { return false }
        guard words.first == "from" else { return by == 0 }
        guard words.count(where: { $0 == "with" }) == 1, let with = words.firstIndex(of: "with"), with > by,
            with + 1 < words.count
        else { return false }
        return ["lmtp", "lmtpa", "lmtps", "lmtpsa", "local"].contains(words[with + 1])
    }
}
