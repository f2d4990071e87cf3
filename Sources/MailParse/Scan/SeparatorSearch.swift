import FundCore

/// Looks in one header for a body that no empty line parts from it: it begins with the first line that is no field,
/// unless later fields show that to be a broken line, or it continues a parameter list (its blank was lost).
struct SeparatorSearch {
    /// Number of lines behind the first that is no field after which no field of a header comes any more.
    private static let maxDoubtfulLines = 50

    /// Where the body seems to begin.
    var candidate: Int64?
    /// True for a part, in which only the fields of RFC 2045 mean something; a text in it may well quote the fields of
    /// a message.
    private let isPart: Bool
    private var linesSince = 0
    private var isBase64 = false
    /// The last line promises another parameter.
    private var endsInSemicolon = false

    init(isPart: Bool) { self.isPart = isPart }

    /// Takes a line that is not empty, without its LF. True when it is certain that the header is over.
    mutating func isOver(with line: UnsafeRawBufferPointer, at offset: Int64) -> Bool {
        if candidate != nil { linesSince += 1 }
        if linesSince > Self.maxDoubtfulLines { return true }
        let isPromised = endsInSemicolon
        endsInSemicolon = line.last { !ASCII.isSpace($0) } == .semicolon
        if ASCII.isBlank(line[0]) { return false }
        if let end = FieldScan.nameEnd(line, isStrict: true) {
            if candidate != nil, isHeaderField(ASCII.lowercased(line[..<end])) { (candidate, linesSince) = (nil, 0) }
            if end == Self.encodingField.utf8.count, ASCII.lowercased(line[..<end]) == Self.encodingField {
                let value = Array(ASCII.lowercased(line).utf8)
                isBase64 = ASCII.firstIndex(of: Self.base64, in: value, from: end) != nil
            }
        } else if candidate == nil, !isPromised, !isBase64 || Self.isBase64(line) {
            candidate = offset
        }
        return false
    }

    private static func isBase64(_ line: UnsafeRawBufferPointer) -> Bool {
        ASCII.trimmed(Array(line)[...]).allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0) || Self.otherBase64.contains($0)
        }
    }

    private static let encodingField = "content-transfer-encoding"
    private static let base64 = Array("base64".utf8)
    private static let otherBase64 = Array("+/=".utf8)

    private func isHeaderField(_ name: String) -> Bool {
        if name.hasPrefix("content-") || name == "mime-version" { return true }
        guard !isPart else { return false }
        return Self.messageFields.contains(name) || Self.messagePrefixes.contains(where: name.hasPrefix)
    }

    private static let messageFields: Set<String> = [
        "from", "to", "cc", "bcc", "subject", "date", "message-id", "in-reply-to", "references", "sender", "reply-to",
        "return-path", "received", "delivered-to", "dkim-signature", "authentication-results", "organization",
        "user-agent", "importance", "priority", "status",
    ]
    private static let messagePrefixes = ["x-", "list-", "arc-", "resent-", "received-"]
}
