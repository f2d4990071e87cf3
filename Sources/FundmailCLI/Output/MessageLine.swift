import FundCore
import Ingest

/// The JSON line of one message. Other programs rely on its keys and their order.
enum MessageLine {
    static func write(_ stored: StoredMessage, to writer: inout JSONWriter) {
        let message = stored.message
        let parts = ParsedParts(message.parsed)
        writer.object { line in
            line.field("source", message.reference.text)
            line.field("digest", message.spooled.digest.hex)
            line.field("outcome", stored.outcome.rawValue)
            line.field("reason", stored.reason?.rawValue)
            line.field("email_id", stored.emailID)
            place(of: stored, parts, &line)
            content(parts, &line)
            line.field("suggestions", message.decision.suggestions)
            line.field("misroute_id", stored.misrouteID)
            line.field("detail", parts.detail)
            if stored.outcome != .duplicate, let copy = stored.copy { other(copy, &line) }
        }
        writer.endLine()
    }

    /// Owner, fund and sender: for a duplicate those of the email that it repeats, else as the rules decided.
    private static func place(of stored: StoredMessage, _ parts: ParsedParts, _ line: inout JSONWriter) {
        guard stored.outcome == .duplicate, let copy = stored.copy else {
            return decision(stored.message.decision, parts, &line)
        }
        line.field("user", copy.user)
        line.field("fund", copy.fund)
        sender(parts, &line)
    }

    /// A copy that an administrator filed by hand for another owner.
    private static func other(_ copy: FiledPlace, _ line: inout JSONWriter) {
        line.key("other_copy")
        line.object { object in
            object.field("email_id", copy.email)
            object.field("user", copy.user)
            object.field("fund", copy.fund)
        }
    }

    static func decision(_ decision: RoutingDecision, _ parts: ParsedParts, _ line: inout JSONWriter) {
        line.field("user", decision.user?.email)
        line.field("fund", decision.fund?.name)
        sender(parts, &line)
    }

    private static func sender(_ parts: ParsedParts, _ line: inout JSONWriter) {
        line.field("subject", parts.header?.subject)
        line.field("from", parts.sender)
    }

    static func content(_ parts: ParsedParts, _ line: inout JSONWriter) {
        line.field("attachments", parts.attachments) { write($1, to: &$0) }
        line.field("defects", parts.defects) { $0.value($1.rawValue) }
    }

    static func summary(_ summary: RunSummary) -> [UInt8] {
        JSONWriter.line { line in
            line.key("summary")
            line.object { counts in
                counts.field("seen", summary.seen)
                for outcome in [Outcome.filed, .misrouted, .rejected, .duplicate] {
                    counts.key(outcome.rawValue)
                    counts.value(summary.count(outcome))
                }
                counts.field("failed", summary.failed)
                counts.field("seconds", summary.seconds)
                counts.field("bytes", summary.bytes)
                if summary.mayHoldOthers > 0 { counts.field("other_message_inside", summary.mayHoldOthers) }
            }
        }
    }

    private static func write(_ attachment: ParsedAttachment, to writer: inout JSONWriter) {
        writer.object { line in
            line.field("name", attachment.displayName)
            line.field("content_type", attachment.contentType)
            line.field("size", attachment.size)
            line.field("sha256", attachment.digest.hex)
            line.field("inline", attachment.isInline)
            line.field("part", attachment.partPath)
        }
    }
}

/// The known parts of a message, whether the parser read it or refused it.
struct ParsedParts {
    var header: MessageHeader?
    var attachments: [ParsedAttachment] = []
    var defects: [Defect]
    /// Why it was refused, for people.
    var detail: String?

    init(_ result: ParseResult) {
        switch result {
        case .message(let message):
            header = message.header
            attachments = message.attachments
            defects = message.defects
        case .refused(_, let detail, let header, let defects):
            self.header = header
            self.defects = defects
            self.detail = detail.isEmpty ? nil : detail
        }
    }

    /// The first address of the first `From` field, else what the field says.
    var sender: String? {
        guard let field = header?.from.first else { return nil }
        return field.addresses.first?.address ?? field.text
    }
}
