/// One file that came with a message.
package struct ParsedAttachment: Sendable, Hashable {
    /// The file name as sent, decoded: valid UTF-8 but otherwise hostile. Nil when the part had no name.
    package var sentName: String?
    /// Safe to show and to offer as a file name; see `DisplayName`. Never empty.
    package var displayName: String
    /// `type/subtype`, lower-case.
    package var contentType: String
    /// Number of decoded bytes.
    package var size: Int64
    package var digest: ContentDigest
    /// A picture that the HTML body shows by Content-ID and that is no file: neither attached nor a photo or a scan.
    package var isInline: Bool
    /// Without angle brackets.
    package var contentID: String?
    /// Place in the message, as in IMAP (RFC 3501 §6.4.5): `2`, `2.1.3`; unpacked from text, TNEF or S/MIME, below that
    /// part.
    package var partPath: String

    package init(
        sentName: String?, displayName: String, contentType: String, size: Int64, digest: ContentDigest,
        isInline: Bool, contentID: String?, partPath: String
    ) {
        self.sentName = sentName
        self.displayName = displayName
        self.contentType = contentType
        self.size = size
        self.digest = digest
        self.isInline = isInline
        self.contentID = contentID
        self.partPath = partPath
    }
}

/// A parsed message.
package struct ParsedMessage: Sendable, Hashable {
    package var header: MessageHeader
    /// The chosen plain text body, as far as the parser keeps it for display.
    package var text: String?
    /// The chosen HTML body, as sent: hostile; as far as the parser keeps it.
    package var html: String?
    package var attachments: [ParsedAttachment]
    /// Each once, in the order of `Defect.allCases`.
    package var defects: [Defect]
    /// The report about another message that it is; nil for other mail.
    package var report: DeliveryReport?

    package init(
        header: MessageHeader, text: String? = nil, html: String? = nil, attachments: [ParsedAttachment] = [],
        defects: [Defect] = [], report: DeliveryReport? = nil
    ) {
        self.header = header
        self.text = text
        self.html = html
        self.attachments = attachments
        self.defects = defects
        self.report = report
    }

    /// Number of files that it brings into a fund.
    package var fileCount: Int { attachments.count { !$0.isInline } }

    /// Bytes of all attachments, inline ones, too.
    package var attachmentBytes: Int64 { attachments.reduce(0) { $0 + $1.size } }
}
