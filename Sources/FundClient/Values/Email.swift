public import Foundation

/// A filed email as lists show it.
public struct EmailSummary: Sendable, Hashable, Codable, Identifiable {
    public var id: EmailID
    public var fund: FundID
    public var subject: String?
    /// The address of the sender.
    public var from: String?
    /// As the sender says.
    public var sentAt: Date?
    public var receivedAt: Date
    /// Without those that the body shows.
    public var attachmentCount: Int
    public var isFavourite: Bool
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
}

/// A filed email with its words.
public struct Email: Sendable, Hashable, Codable, Identifiable {
    public var id: EmailID
    public var fund: FundID
    public var subject: String?
    /// The address of the sender.
    public var from: String?
    /// As the sender says.
    public var sentAt: Date?
    public var receivedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    public var isFavourite: Bool
    /// The words of its body.
    public var text: String?
    /// Its body as HTML, as the sender wrote it: not to be shown without care.
    public var html: String?
    public var messageID: String?
    public var attachments: [Attachment]

    enum CodingKeys: String, CodingKey {
        case id, fund, subject, from, sentAt, receivedAt, deletedAt, isFavourite, text, html, attachments
        case messageID = "messageId"
    }
}

/// A file that came with an email; it never changes.
public struct Attachment: Sendable, Hashable, Codable, Identifiable {
    public var id: AttachmentID
    public var email: EmailID
    public var name: String
    public var contentType: String
    /// Of its bytes.
    public var size: Int64
    /// Of its bytes.
    public var digest: Digest
    /// A picture that the body shows.
    public var isInline: Bool
    /// Where it stood in the message: 2.1.3.
    public var part: String

    enum CodingKeys: String, CodingKey {
        case id, email, name, contentType, size, isInline, part
        case digest = "sha256"
    }
}
