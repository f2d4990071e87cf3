import Foundation
import FundClient

/// Things as tools describe them: one JSON object a line, keys in snake case, times as ISO 8601 in UTC.
enum MCPRecord {
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// A folder or a file in a list.
    struct Thing: Encodable {
        var type: String
        var id: Int64
        var name: String
        var modifiedAt: Date
        var size: Int64?
        var contentType: String?
        /// Pages of a document, where the server knows them.
        var pages: Int?
        /// Email with which it came.
        var email: EmailID?

        init(_ item: Item) {
            name = item.name
            switch item {
            case .folder(let folder): (type, id, modifiedAt) = ("folder", folder.id.value, folder.modifiedAt)
            case .file(let file):
                (type, id, modifiedAt) = ("file", file.id.value, file.modifiedAt)
                (size, contentType, pages, email) = (file.size, file.contentType, file.preview?.pages, file.email)
            }
        }
    }

    /// A note without its content.
    struct NoteTitle: Encodable {
        var id: NoteID
        var fund: FundID
        var title: String
        var modifiedAt: Date

        init(_ note: Note) { (id, fund, title, modifiedAt) = (note.id, note.fund, note.title, note.modifiedAt) }
    }

    /// A mail without its words.
    struct Mail: Encodable {
        var id: EmailID
        var fund: FundID
        var subject: String?
        var from: String?
        var sentAt: Date?
        var receivedAt: Date
        var attachments: [MailFile]

        init(_ email: Email) {
            (id, fund, subject, from) = (email.id, email.fund, email.subject, email.from)
            (sentAt, receivedAt) = (email.sentAt, email.receivedAt)
            attachments = email.attachments.map(MailFile.init)
        }
    }

    /// A file that came with a mail.
    struct MailFile: Encodable {
        var id: AttachmentID
        var name: String
        var contentType: String
        var size: Int64
        var isInline: Bool

        init(_ attachment: Attachment) {
            (id, name, contentType) = (attachment.id, attachment.name, attachment.contentType)
            (size, isInline) = (attachment.size, attachment.isInline)
        }
    }
}
