import FundCore

/// A part without parts.
struct Leaf {
    /// Limit of a reaction, which is one emoji.
    private static let maxReactionBytes = LeftOut.reaction.maxBytes

    var item: StructureWalk.Item
    var fields: PartFields
    var content: Range<Int64>

    var path: String { item.leafPath }

    /// Whether it is a text with a name that does not say `attachment`.
    var isNamedText: Bool {
        fields.name != nil && fields.disposition != "attachment" && !fields.hasUnknownType && isText
    }

    var isText: Bool { fields.contentType == "text/plain" || fields.contentType == "text/html" }

    /// Whether it is a reaction to another mail (RFC 9078 §2): the text of its mail, but never a file.
    var isReaction: Bool {
        fields.disposition == "reaction" && fields.name == nil && content.count <= Self.maxReactionBytes
    }

    /// The kind of a part that is neither text nor file, as its type and its surroundings say; nil for any other. Only
    /// one whose content is that, too, is left out: a type hides nothing.
    var leftOut: LeftOut? {
        let isAlternative = if case .alternative = item.role { fields.name == nil } else { false }
        let found: LeftOut?
        switch fields.contentType {
        case "text/vnd.google.email-reaction+json": found = isAlternative ? .reaction : nil
        case "text/x-amp-html", "text/watch-html": found = isAlternative ? .markup : nil
        case "text/x-moz-deleted": found = fields.isAltered ? .deletion : nil
        case "message/external-body":
            found = fields.typeParameters["access-type"]?.lowercased() == "x-mutt-deleted" ? .deletion : nil
        default: found = nil
        }
        return found.flatMap { content.count <= $0.maxBytes ? $0 : nil }
    }

    /// Whether it says where a file is, and does not hold it.
    var isReference: Bool { fields.contentType == "message/external-body" || fields.externalAddress != nil }
}
