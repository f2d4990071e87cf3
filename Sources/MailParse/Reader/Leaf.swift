import FundCore

/// A part without parts.
struct Leaf {
    /// A reaction is one emoji; so much of anything may hide behind its type.
    private static let maxReactionBytes: Int64 = 4096
    /// The note that a mail program leaves in place of what it deleted.
    private static let maxDeletionBytes: Int64 = 64 << 10

    var item: StructureWalk.Item
    var fields: PartFields
    var content: Range<Int64>

    var path: String { item.leafPath }

    /// A text with a name that does not say `attachment`.
    var isNamedText: Bool {
        fields.name != nil && fields.disposition != "attachment" && !fields.hasUnknownType && isText
    }

    var isText: Bool { fields.contentType == "text/plain" || fields.contentType == "text/html" }

    /// A reaction to another mail (RFC 9078 §2): the text of its mail, but never a file.
    var isReaction: Bool { fields.disposition == "reaction" && content.count <= Self.maxReactionBytes }

    /// Neither text nor file: what only programs read of a mail that says the same in another form, and what stands in
    /// place of a deleted file.
    var isLeftOut: Bool {
        switch fields.contentType {
        case "text/vnd.google.email-reaction+json": return content.count <= Self.maxReactionBytes
        case "text/x-amp-html", "text/watch-html":
            if case .alternative = item.role { return !fields.isAttachment }
            return false
        case "text/x-moz-deleted": return content.count <= Self.maxDeletionBytes
        case "message/external-body":
            return fields.typeParameters["access-type"]?.lowercased() == "x-mutt-deleted"
                && content.count <= Self.maxDeletionBytes
        default: return false
        }
    }

    /// It says where a file is, and does not hold it.
    var isReference: Bool { fields.contentType == "message/external-body" || fields.externalAddress != nil }
}
