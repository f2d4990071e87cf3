/// One address of an address field (RFC 5322 §3.4 `mailbox`).
package struct NamedAddress: Sendable, Hashable {
    /// Decoded (RFC 2047); only for display, never for identity.
    package var displayName: String?
    /// The addr-spec as sent, comments and folding taken off, nothing decoded.
    package var address: String

    package init(displayName: String? = nil, address: String) {
        self.displayName = displayName
        self.address = address
    }
}

/// One `From` field.
package struct AddressField: Sendable, Hashable {
    package var addresses: [NamedAddress]
    /// `name: a@b, c@d;` (RFC 5322 §3.4 `group`): never one person.
    package var hasGroup: Bool
    /// NUL, bare CR, or text that is no address: mail programs read different senders from it.
    package var isMalformed: Bool
    /// The field decoded for people.
    package var text: String

    package init(addresses: [NamedAddress], hasGroup: Bool = false, isMalformed: Bool = false, text: String = "") {
        self.addresses = addresses
        self.hasGroup = hasGroup
        self.isMalformed = isMalformed
        self.text = text
    }
}

/// Fields that mail servers write on top of a message, in the order in which they stand, from the top. Only these two
/// kinds: they decide together whether an `Authentication-Results` field was written by a server that we trust.
package enum TraceField: Sendable, Hashable {
    /// `Received` (RFC 5321 §4.4), unfolded.
    case received(String)
    /// `Authentication-Results` (RFC 8601 §2), unfolded.
    case authenticationResults(String)
}

/// What marks a message as written by a machine (RFC 3834, RFC 3464 and practice).
package struct AutomaticMarks: Sendable, Hashable {
    /// The keyword of `Auto-Submitted` (RFC 3834 §5), lower-case.
    package var autoSubmitted: String?
    /// `Precedence`, lower-case.
    package var precedence: String?
    /// `Return-Path: <>` (RFC 5321 §4.5.5).
    package var hasNullReturnPath = false
    /// `multipart/report` (RFC 6522): its `report-type`, lower-case.
    package var reportType: String?
    /// Fields of responders by name, lower-case: `x-autoreply`, `x-autorespond` … (`X-Auto-Response-Suppress` is
    /// none: Exchange writes it into notifications to keep others from answering.)
    package var responderFields: [String] = []
    /// The value of `X-Fundmail-Loop`, which our own receipts carry.
    package var loopMark: String?

    package init() {}
}

/// The header of a message, decoded, as far as routing, rows and reports need it.
package struct MessageHeader: Sendable, Hashable {
    /// One for each `From` field, in order. A message should have one field with one mailbox.
    package var from: [AddressField] = []
    package var to: [NamedAddress] = []
    package var cc: [NamedAddress] = []
    /// One for each `Subject` field, in order, unfolded and decoded.
    package var subjects: [String] = []
    /// Seconds since 1970, nil when absent or unreadable.
    package var date: Timestamp?
    /// Without angle brackets.
    package var messageID: String?
    /// Message-IDs of `In-Reply-To` and `References`, without angle brackets.
    package var references: [String] = []
    package var automatic = AutomaticMarks()
    package var trace: [TraceField] = []

    package init() {}

    /// The one that is shown: the first.
    package var subject: String? { subjects.first }
}

/// One file that came with a message.
package struct ParsedAttachment: Sendable, Hashable {
    /// As sent and decoded, valid UTF-8 but otherwise hostile. Nil when the part had no name.
    package var sentName: String?
    /// Safe to show and to offer as a file name; see `DisplayName`. Never empty.
    package var displayName: String
    /// `type/subtype`, lower-case.
    package var contentType: String
    /// Of the decoded bytes.
    package var size: Int64
    package var digest: ContentDigest
    /// A picture that the HTML body shows by Content-ID and that is no file: neither attached nor a photo or a scan.
    package var isInline: Bool
    /// Without angle brackets.
    package var contentID: String?
    /// Where it was, as in IMAP (RFC 3501 §6.4.5): `2`, `2.1.3`; unpacked from text, TNEF or S/MIME, below that part.
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

    package init(
        header: MessageHeader, text: String? = nil, html: String? = nil, attachments: [ParsedAttachment] = [],
        defects: [Defect] = []
    ) {
        self.header = header
        self.text = text
        self.html = html
        self.attachments = attachments
        self.defects = defects
    }
}

/// The result of parsing a message.
package enum ParseResult: Sendable, Hashable {
    /// Indirect: it goes through many hands, each of which would copy its twenty fields.
    indirect case message(ParsedMessage)
    /// Refused: `tooComplex`, `tooLarge` or `unparseable`. `detail` says for people what was over which limit or what
    /// happened to the child; `header` is what could be read all the same.
    case refused(Reason, detail: String, header: MessageHeader?, defects: [Defect])
}

extension ParseResult {
    /// What could be read of it; nil only of what was refused.
    package var header: MessageHeader? {
        switch self {
        case .message(let message): message.header
        case .refused(_, _, let header, _): header
        }
    }

    /// The same, with a defect that its source found.
    package func adding(_ defect: Defect) -> ParseResult {
        func ordered(_ defects: [Defect]) -> [Defect] {
            Defect.allCases.filter { $0 == defect || defects.contains($0) }
        }
        switch self {
        case .message(var message):
            message.defects = ordered(message.defects)
            return .message(message)
        case .refused(let reason, let detail, let header, let defects):
            return .refused(reason, detail: detail, header: header, defects: ordered(defects))
        }
    }

    /// The same, for a message of which the source fetched at most the header.
    package func refused(_ refusal: Refusal) -> ParseResult {
        return .refused(refusal.reason, detail: refusal.detail, header: header, defects: [])
    }
}
