/// Reads the tags of a decoded subject.
package enum SubjectTags {
    /// Prefixes that mail programs put in front of an answered or forwarded subject, without the colon, lower-case.
    private static let replyPrefixes: Set<String> = [
        "re", "fw", "fwd", "aw", "wg", "sv", "vs", "vb", "antw", "antwort", "doorst", "rv", "res", "enc", "tr", "rif",
        "r", "i", "odp", "pd", "ynt", "ilt", "bls", "trs", "ha", "továbbítás", "σχετ", "πρθ", "отв", "пересл", "回复",
        "回覆", "答复", "答覆", "转发", "轉寄", "轉發", "返信", "転送", "답장", "전달",
    ]

    /// The tags from the left, trimmed. A tag is what stands between an opening bracket and the next closing one with
    /// no opening one in between, so the innermost counts; brackets of different width pair, since input methods mix
    /// them. Empty ones, ones that are never closed and ones longer than a fund's name may be are none.
    package static func read(_ subject: String) -> [String] {
        var tags: [String] = []
        var open: String.UnicodeScalarView?
        for scalar in withoutReplyPrefixes(subject).unicodeScalars {
            switch scalar {
            case _ where openings.contains(scalar): open = String.UnicodeScalarView()
            case _ where closings.contains(scalar):
                if let tag = open.map({ trimmed($0) }), !tag.isEmpty, isShort(tag) { tags.append(tag) }
                open = nil
            default: open?.append(scalar)
            }
        }
        return tags
    }

    /// The subject without what stands between brackets, and without prefixes of answers.
    package static func withoutTags(_ subject: String) -> String {
        var (rest, depth) = (String.UnicodeScalarView(), 0)
        for scalar in withoutReplyPrefixes(subject).unicodeScalars {
            if openings.contains(scalar) {
                depth += 1
            } else if closings.contains(scalar) {
                depth = max(0, depth - 1)
            } else if depth == 0 {
                rest.append(scalar)
            }
        }
        return String(rest)
    }

    private static let openings: Set<Unicode.Scalar> = ["[", "［", "【", "〔", "〖"]
    private static let closings: Set<Unicode.Scalar> = ["]", "］", "】", "〕", "〗"]

    /// Takes off `Re:`, `Fwd:`, `AW:`, `Re[2]:`, `Re (3):`, `回复：` and their like, as many as there are.
    package static func withoutReplyPrefixes(_ subject: String) -> Substring {
        // Comparing characters normalises them, which is quadratic in runs of combining marks.
        var rest = subject.streamSafe[...]
        while true {
            rest = rest.drop { $0.isWhitespace }
            // The usual subject begins with its tag, and no prefix does: what follows looks at each character.
            if rest.utf8.first == UInt8(ascii: "[") { return rest }
            guard let colon = rest.prefix(24).firstIndex(where: { $0 == ":" || $0 == "：" }) else { return rest }
            var word = rest[..<colon].lowercased()[...]
            if let counter = word.firstIndex(where: { "[(（*".contains($0) }), isCounter(word[counter...]) {
                word = word[..<counter]
            }
            while word.last?.isWhitespace == true { word.removeLast() }
            guard replyPrefixes.contains(String(word)) else { return rest }
            rest = rest[rest.index(after: colon)...]
        }
    }

    private static func isCounter(_ text: Substring) -> Bool {
        text.contains { $0.isNumber } && text.allSatisfy { $0.isNumber || "[]()（）* ".contains($0) }
    }

    /// Bytes first: counting characters takes longer.
    private static func isShort(_ tag: String) -> Bool {
        tag.utf8.count <= FundName.maxTagBytes && tag.count <= FundName.maxCharacters
    }

    private static func trimmed(_ scalars: String.UnicodeScalarView) -> String {
        let visible = scalars.drop { $0.properties.isWhitespace }
        guard let last = visible.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(visible[...last])
    }
}
