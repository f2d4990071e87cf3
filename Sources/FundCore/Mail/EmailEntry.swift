/// An email with all that its reader sees.
package struct EmailEntry: Sendable, Hashable {
    package var summary: EmailSummary
    package var text: String?
    /// The HTML body as it came: not to be shown without a sandbox.
    package var html: String?
    package var attachments: [AttachmentEntry]
    /// Faults of its form, named as in `Defect`.
    package var defects: [String]
    /// `Message-ID` (RFC 5322 §3.6.4) without its brackets; nil when there is none.
    package var internetMessageID: String?

    package init(
        summary: EmailSummary, text: String?, html: String?, attachments: [AttachmentEntry], defects: [String],
        internetMessageID: String?
    ) {
        self.summary = summary
        self.text = text
        self.html = html
        self.attachments = attachments
        self.defects = defects
        self.internetMessageID = internetMessageID
    }

    /// See `VisibleText.of(text:html:)`. Not for the cooperative threads: it may read a long HTML.
    package var plainText: String { VisibleText.of(text: text, html: html) }
}
