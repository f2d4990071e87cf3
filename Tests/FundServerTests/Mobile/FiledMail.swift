import TestSupport
import FundStore
import FundCore

/// An email as the pipeline would put it into a store.
struct FiledMail {
    struct Part {
        var name: String
        var bytes: [UInt8]
        var contentType = "application/pdf"
        var isInline = false
        var contentID: String?
    }

    var subject: String
    var text: String? = "Please find the report."
    var html: String?
    var parts: [Part] = []
    var date: Timestamp?

    @discardableResult
    func file(in fund: Fund, of user: User, store: FundStore) async throws -> EmailSummary.ID? {
        var writer = store.mail.spool.makeWriter()
        try Array("Subject: \(subject)\r\n\r\n\(text ?? html ?? "")".utf8).withUnsafeBytes { try writer.append($0) }
        var header = MessageHeader()
        header.subjects = [subject]
        header.date = date
        header.from = [AddressField(addresses: [NamedAddress(address: user.email)])]
        let attachments = parts.enumerated().map { index, part in
            ParsedAttachment(
                sentName: part.name, displayName: part.name, contentType: part.contentType,
                size: Int64(part.bytes.count), digest: .of(part.bytes), isInline: part.isInline,
                contentID: part.contentID,
                partPath: "\(index + 2)")
        }
        var decision = RoutingDecision(outcome: .filed)
        (decision.user, decision.fund) = (user, fund)
        var message = ParsedMessage(header: header, text: text, attachments: attachments)
        message.html = html
        let routed = RoutedMessage(
            reference: SourceReference(place: subject), spooled: writer.finish(), parsed: .message(message),
            decision: decision, policy: RoutingPolicy(trust: .vouched))
        let staged = try store.mail.stage(routed) { index, consume in try parts[index].bytes.withUnsafeBytes(consume) }
        return try await store.mail.commit([staged]).first?.emailID
    }
}
