/// A mail that is a file, by its header, its text and the names of its attachments.
package struct MailFields: Sendable, Hashable, Codable {
    /// A file that the mail carries.
    package struct Attachment: Sendable, Hashable, Codable {
        package var name: String
        /// Number of decoded bytes.
        package var size: Int64

        package init(name: String, size: Int64) {
            self.name = name
            self.size = size
        }
    }

    package var subject: String?
    package var from: [FieldPerson]
    package var to: [FieldPerson]
    package var cc: [FieldPerson]
    /// The people to whom the sender wants answers to go; nil for the sender.
    package var replyTo: [FieldPerson]?
    /// Seconds since 1970, as the sender says.
    package var date: Int64?
    /// The plain text, or what is seen of the HTML.
    package var text: String?
    package var attachments: [Attachment]
    /// Text, people or attachments are left out at the end.
    package var isCut: Bool

    package init(
        subject: String? = nil, from: [FieldPerson] = [], to: [FieldPerson] = [], cc: [FieldPerson] = [],
        date: Int64? = nil, text: String? = nil, attachments: [Attachment] = [], isCut: Bool = false
    ) {
        self.subject = subject
        self.from = from
        self.to = to
        self.cc = cc
        self.date = date
        self.text = text
        self.attachments = attachments
        self.isCut = isCut
    }
}
