package import FundCore

/// A letter before it is written: who, to whom, what about.
package struct OutgoingMessage: Sendable, Hashable {
    /// The hand of a program in a letter (RFC 3834 §5).
    package enum Origin: Sendable, Hashable {
        /// A person wrote it.
        case person
        /// The program wrote it by itself.
        case generated
        /// The program answers a letter.
        case replied
    }

    /// A file that goes along.
    package struct Attachment: Sendable, Hashable {
        package var name: String
        /// `type/subtype`, without parameters.
        package var contentType: String
        package var content: AttachedContent

        package init(name: String, contentType: String, content: AttachedContent) {
            self.name = name
            self.contentType = contentType
            self.content = content
        }

        package init(name: String, contentType: String, bytes: [UInt8]) {
            self.init(name: name, contentType: contentType, content: .bytes(bytes))
        }
    }

    package var from: Correspondent
    /// Where answers go; empty: to `from`.
    package var replyTo: [Correspondent] = []
    package var to: [Correspondent]
    package var cc: [Correspondent] = []
    package var subject: String
    package var date: Timestamp
    package var messageID: MessageID
    package var inReplyTo: MessageID?
    /// The messages of the thread before this one, the oldest first.
    package var references: [MessageID] = []
    package var origin = Origin.person
    /// Address at which a request by POST ends letters of this kind, for mail programs (RFC 8058). `https`, in visible
    /// ASCII.
    package var unsubscribe: String?
    /// Lines end in LF or CRLF.
    package var text: String
    package var attachments: [Attachment] = []

    /// - Parameter messageID: kept when the same letter is written again; nil makes a new one.
    package init(
        from: Correspondent, to: [Correspondent], subject: String, text: String, date: Timestamp = .now,
        messageID: MessageID? = nil
    ) {
        self.from = from
        self.to = to
        self.subject = subject
        self.text = text
        self.date = date
        self.messageID = messageID ?? .make(domain: from.address.domain)
    }
}
