internal import FundCore

/// The attachment of a message that the parser refuses and an administrator files: the raw message itself.
enum RawAttachment {
    /// An attachment with the bytes of the message.
    static func of(_ spooled: SpooledMessage) -> ParsedAttachment {
        ParsedAttachment(
            sentName: nil, displayName: "message.eml", contentType: "message/rfc822", size: spooled.size,
            digest: spooled.digest, isInline: false, contentID: nil, partPath: "1")
    }

    /// The message of which nothing else is known than what the parser could read.
    static func message(_ spooled: SpooledMessage, header: MessageHeader?, defects: [Defect]) -> ParsedMessage {
        ParsedMessage(header: header ?? MessageHeader(), attachments: [of(spooled)], defects: defects)
    }
}
