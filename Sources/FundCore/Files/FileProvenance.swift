/// The origin of a file, and other files with its bytes.
package struct FileProvenance: Sendable, Hashable {
    /// The mail that brought a file.
    package struct Origin: Sendable, Hashable {
        package var email: EmailSummary
        package var attachment: AttachmentEntry
        /// From 1, among the attachments of the email that are no inline images; nil for an inline image.
        package var number: Int?
        /// The attachment of the same email that held this one: a forwarded message, or `winmail.dat`. Nil when it was
        /// attached to the email itself, and when what held it was not kept as an attachment.
        package var container: AttachmentEntry?

        package init(
            email: EmailSummary, attachment: AttachmentEntry, number: Int?, container: AttachmentEntry? = nil
        ) {
            self.email = email
            self.attachment = attachment
            self.number = number
            self.container = container
        }
    }

    package var file: FileEntry
    /// Nil for what came otherwise than by mail, and when the mail is deleted.
    package var origin: Origin?
    /// Other files of the same user with the same bytes, latest first, 20 at the most.
    package var sameContent: [FileEntry]
    package static let maxSameContent = 20

    package init(file: FileEntry, origin: Origin?, sameContent: [FileEntry]) {
        self.file = file
        self.origin = origin
        self.sameContent = sameContent
    }

    /// True when the file has another name than the attachment, given by its owner or because the name was taken.
    package var isRenamed: Bool { origin.map { $0.attachment.name != file.name } ?? false }

    /// True when the file lies elsewhere than mail is filed: at the top of its email's fund.
    package var isMoved: Bool {
        origin.map { $0.email.fund != file.fund || file.folder != nil } ?? false
    }
}
