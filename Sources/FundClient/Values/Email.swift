public import Foundation

/// A filed email as lists show it.
public struct EmailSummary: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: EmailID
    /// Fund in which it lies.
    public var fund: FundID
    /// Decoded; nil without one.
    public var subject: String?
    /// The address of the sender.
    public var from: String?
    /// Time of the `Date` field, as the sender says.
    public var sentAt: Date?
    /// Time at which the server took it.
    public var receivedAt: Date
    /// Without those that the body shows.
    public var attachmentCount: Int
    /// Whether its owner marked it as a favourite.
    public var isFavourite: Bool
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
}

/// A filed email with its words.
public struct Email: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: EmailID
    /// Fund in which it lies.
    public var fund: FundID
    /// Decoded; nil without one.
    public var subject: String?
    /// The address of the sender.
    public var from: String?
    /// Time of the `Date` field, as the sender says.
    public var sentAt: Date?
    /// Time at which the server took it.
    public var receivedAt: Date
    /// Nil unless it lies in the trash.
    public var deletedAt: Date?
    /// Whether its owner marked it as a favourite.
    public var isFavourite: Bool
    /// The words of its body.
    public var text: String?
    /// Its body as HTML, as the sender wrote it: not to be shown without care.
    public var html: String?
    /// The identifier in its header (RFC 5322 §3.6.4); nil without one.
    public var messageID: String?
    /// Attachments, inline ones included.
    public var attachments: [Attachment]

    enum CodingKeys: String, CodingKey {
        case id, fund, subject, from, sentAt, receivedAt, deletedAt, isFavourite, text, html, attachments
        case messageID = "messageId"
    }
}

/// A file that came with an email; it never changes.
public struct Attachment: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: AttachmentID
    /// Id of the email with which it came; nil where it came otherwise.
    public var email: EmailID
    /// Name in the message.
    public var name: String
    /// A media type (RFC 6838).
    public var contentType: String
    /// Size in bytes.
    public var size: Int64
    /// SHA-256 of the bytes.
    public var digest: Digest
    /// A picture that the body shows.
    public var isInline: Bool
    /// Part of the message: 2.1.3.
    public var part: String

    enum CodingKeys: String, CodingKey {
        case id, email, name, contentType, size, isInline, part
        case digest = "sha256"
    }
}
