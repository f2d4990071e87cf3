import Ingest

/// The JSON line of one message (design.md §6). Other programs rely on its keys and their order.
enum MessageLine {
    static func write(_ stored: StoredMessage, to writer: inout JSONWriter) {
        let message = stored.message
        let parts = ParsedParts(message.parsed)
        writer.object { line in
            line.key("source")
            line.value(message.reference.text)
            line.key("digest")
            line.value(message.spooled.digest.hex)
            line.key("outcome")
            line.value(stored.outcome.rawValue)
            line.key("reason")
            line.value(stored.reason?.rawValue)
            line.key("email_id")
            line.value(stored.emailID)
            decision(message.decision, parts, &line)
            content(parts, &line)
            line.key("suggestions")
            line.value(message.decision.suggestions)
            line.key("misroute_id")
            line.value(stored.misrouteID)
            line.key("detail")
            line.value(parts.detail)
        }
        writer.endLine()
    }

    static func decision(_ decision: RoutingDecision, _ parts: ParsedParts, _ line: inout JSONWriter) {
        line.key("user")
        line.value(decision.user?.email)
        line.key("fund")
        line.value(decision.fund?.name)
        line.key("subject")
        line.value(parts.header?.subject)
        line.key("from")
        line.value(parts.sender)
    }

    static func content(_ parts: ParsedParts, _ line: inout JSONWriter) {
        line.key("attachments")
        line.array { list in
            for attachment in parts.attachments { write(attachment, to: &list) }
        }
        line.key("defects")
        line.array { list in
            for defect in parts.defects { list.value(defect.rawValue) }
        }
    }

    static func summary(_ summary: RunSummary, to writer: inout JSONWriter) {
        writer.object { line in
            line.key("summary")
            line.object { counts in
                counts.key("seen")
                counts.value(summary.seen)
                for outcome in [Outcome.filed, .misrouted, .rejected, .duplicate] {
                    counts.key(outcome.rawValue)
                    counts.value(summary.count(outcome))
                }
                counts.key("failed")
                counts.value(summary.failed)
                counts.key("seconds")
                counts.value(summary.seconds)
                counts.key("bytes")
                counts.value(summary.bytes)
            }
        }
        writer.endLine()
    }

    private static func write(_ attachment: ParsedAttachment, to writer: inout JSONWriter) {
        writer.object { line in
            line.key("name")
            line.value(attachment.displayName)
            line.key("content_type")
            line.value(attachment.contentType)
            line.key("size")
            line.value(attachment.size)
            line.key("sha256")
            line.value(attachment.digest.hex)
            line.key("inline")
            line.value(attachment.isInline)
            line.key("part")
            line.value(attachment.partPath)
        }
    }
}

/// What is known of a message, whether the parser read it or refused it.
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
        return field.mailboxes.first?.address ?? field.text
    }
}
