internal import FundCore

/// One `Received` field (RFC 5321 §4.4), as far as trust needs it.
struct ReceivedField {
    /// A longer field is ignored: a client's name could push the server's own words past any limit.
    private static let maxBytes = 4096

    private let words: [String]

    init(_ text: String) {
        guard text.utf8.count <= Self.maxBytes else {
            words = []
            return
        }
        var depth = 0
        var isBalanced = true
        var plain = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "(": depth += 1
            case ")": depth -= 1
            case ";" where depth == 0: plain += " ; "
            // A client's name may hold these characters and hide the server's own words in a comment.
            case "\"", "\\": isBalanced = false
            default: if depth == 0 { plain.unicodeScalars.append(scalar) }
            }
            if depth < 0 { isBalanced = false }
        }
        words =
            !isBalanced || depth != 0 ? [] : plain.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }

    /// Whether `host` itself wrote it when it took the message from one of its own processes: over LMTP, or with no
    /// `from` at all. The client chooses the name after `from`, so one in which a keyword occurs twice does not count.
    func isLocalHandover(at host: String) -> Bool {
        guard let writer, DomainName.aLabels(writer) == DomainName.aLabels(host) else { return false }
        guard words.first == "from" else { return words.first == "by" }
        return Self.handoverProtocols.contains(transmission ?? "")
    }

    /// Whether the client had logged in when it handed the message over (RFC 3848).
    var isAuthenticated: Bool {
        words.first == "from" && Self.authenticatedProtocols.contains(transmission ?? "")
    }

    /// The server that wrote it, lower-case.
    var writer: String? { word(behind: "by") }

    /// `esmtps` and the like, which stands behind the server's name.
    private var transmission: String? {
        guard let with = words.firstIndex(of: "with"), let by = words.firstIndex(of: "by"), with > by else {
            return nil
        }
        return writer == nil ? nil : word(behind: "with")
    }

    /// Nil unless the keyword stands there once.
    private func word(behind keyword: String) -> String? {
        guard words.count(where: { $0 == keyword }) == 1, let index = words.firstIndex(of: keyword),
            index + 1 < words.count
        else { return nil }
        return words[index + 1]
    }

    private static let handoverProtocols: Set<String> = ["lmtp", "lmtpa", "lmtps", "lmtpsa", "local"]
    private static let authenticatedProtocols: Set<String> = [
        "esmtpa", "esmtpsa", "utf8smtpa", "utf8smtpsa", "lmtpa", "lmtpsa",
    ]
}
