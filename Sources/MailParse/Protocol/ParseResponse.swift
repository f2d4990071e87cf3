internal import ChildProcesses
import FundCore

/// An answer of a child: a result whose attachments are ranges of the pack.
enum ParseResponse: Equatable {
    case refused(Reason, detail: String, header: MessageHeader?, defects: DefectSet)
    case message(Content)

    struct Content: Equatable {
        var header: MessageHeader
        var text: String?
        var html: String?
        var attachments: [PackedAttachment]
        var defects: DefectSet
        var report: DeliveryReport?
    }
}

/// An attachment whose decoded bytes stand in the pack.
struct PackedAttachment: Equatable {
    var sentName: String?
    /// Name for a part without one: the subject of a nested message.
    var suggestedName: String?
    var contentType: String
    var offset: Int64
    var count: Int64
    var isInline = false
    var contentID: String?
    var partPath: String
}

extension ParseResponse {
    func write(to writer: inout FrameWriter) -> [UInt8] {
        switch self {
        case .refused(let reason, let detail, let header, let defects):
            writer.begin(.refused)
            writer.u8(Self.code(of: reason))
            writer.string(detail, max: Wire.maxDetailBytes)
            writer.flag(header != nil)
            if let header { writer.header(header) }
            writer.u64(defects.bits)
        case .message(let content):
            writer.begin(.message)
            writer.header(content.header)
            writer.optional(content.text, max: Wire.maxBodyBytes)
            writer.optional(content.html, max: Wire.maxBodyBytes)
            writer.list(content.attachments) { writer, attachment in
                writer.optional(attachment.sentName, max: Wire.maxNameBytes)
                writer.optional(attachment.suggestedName, max: Wire.maxNameBytes)
                writer.string(attachment.contentType)
                writer.i64(attachment.offset)
                writer.i64(attachment.count)
                writer.flag(attachment.isInline)
                writer.optional(attachment.contentID, max: Wire.maxContentIDBytes)
                writer.string(attachment.partPath)
            }
            writer.u64(content.defects.bits)
            writer.flag(content.report != nil)
            writer.list(content.report?.entries ?? []) { writer, entry in
                writer.string(entry.action, max: DeliveryReport.maxTextBytes)
                writer.string(entry.status, max: DeliveryReport.maxTextBytes)
                writer.optional(entry.diagnostic, max: DeliveryReport.maxTextBytes)
            }
        }
        return writer.end()
    }

    static func code(of reason: Reason) -> UInt8 {
        switch reason {
        case .tooComplex: 1
        case .tooLarge: 2
        default: 3
        }
    }
}

extension FrameWriter {
    mutating func header(_ header: MessageHeader) {
        list(header.from) { writer, field in
            writer.list(field.addresses) { $0.mailbox($1) }
            writer.flag(field.hasGroup)
            writer.flag(field.isMalformed)
            writer.string(field.text)
        }
        list(header.to) { $0.mailbox($1) }
        list(header.cc) { $0.mailbox($1) }
        list(header.replyTo) { $0.mailbox($1) }
        list(header.subjects) { $0.string($1) }
        flag(header.date != nil)
        if let date = header.date { i64(date.rawValue) }
        optional(header.messageID)
        list(header.references) { $0.string($1) }
        let automatic = header.automatic
        optional(automatic.autoSubmitted)
        optional(automatic.precedence)
        flag(automatic.hasNullReturnPath)
        optional(automatic.reportType)
        list(automatic.responderFields) { $0.string($1) }
        optional(automatic.loopMark)
        flag(automatic.isOfList)
        flag(automatic.refusesAnswers)
        u8(header.relay.map { Wire.code(of: $0.kind) } ?? 0)
        optional(header.relay?.author)
        list(header.envelopeRecipients) { $0.string($1) }
        list(header.trace) { writer, field in
            switch field {
            case .received(let text):
                writer.u8(1)
                writer.string(text)
            case .authenticationResults(let text):
                writer.u8(2)
                writer.string(text)
            }
        }
    }

    private mutating func mailbox(_ mailbox: NamedAddress) {
        optional(mailbox.displayName)
        string(mailbox.address)
    }
}
