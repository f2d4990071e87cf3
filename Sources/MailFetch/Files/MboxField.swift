import FundCore

/// The line behind an envelope line of an mbox file, which is a header field where a message begins.
struct MboxField {
    /// Whether it has the form of a header field (RFC 5322 §2.2).
    let isField: Bool
    /// A field of this name stands at the top of messages.
    let isCommon: Bool
    /// Whether it is another envelope line, or one that was quoted when it came to stand in the header.
    let isEnvelope: Bool

    init(_ line: [UInt8]) {
        isEnvelope = line.starts(with: MboxEnvelope.mark) || line.starts(with: [.greaterThan] + MboxEnvelope.mark)
        let name = line.prefix { ASCII.isVisible($0) && $0 != .colon }
        let value = line[name.endIndex...].drop(while: ASCII.isBlank)
        // `https://…` is none.
        isField = !name.isEmpty && value.first == .colon && !value.dropFirst().starts(with: "//".utf8)
        let text = ASCII.lowercased(name)
        isCommon = isField && (Self.names.contains(text) || Self.prefixes.contains(where: text.hasPrefix))
    }

    private static let names: Set<String> = [
        "return-path", "received", "delivered-to", "envelope-to", "authentication-results", "received-spf",
        "dkim-signature", "from", "sender", "reply-to", "to", "cc", "subject", "date", "message-id", "in-reply-to",
        "references", "mime-version", "status", "delivery-date", "user-agent", "organization", "importance",
        "precedence", "errors-to", "comments", "keywords", "mailing-list",
    ]
    private static let prefixes = ["x-", "content-", "arc-", "list-", "resent-", "thread-"]
}
