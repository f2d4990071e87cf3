import FundCore

/// Reads what S/MIME wraps without encrypting it (RFC 8551 §3.5.2), beside the file that the signature is in.
extension StructureWalk {
    /// Programs that do not know S/MIME pass its parts on as any bytes, with their name.
    static func mayBeCMS(_ fields: PartFields) -> Bool {
        switch fields.contentType {
        case "application/pkcs7-mime", "application/x-pkcs7-mime": true
        default: fields.contentType.hasPrefix("application/") && fields.name?.lowercased().hasSuffix(".p7m") ?? false
        }
    }

    /// - Parameter range: the decoded bytes of the part in the pack.
    mutating func openSigned(_ leaf: Leaf, _ range: Range<Int64>) throws(ReadError) {
        try pack.flush()
        let source = try RawSource(pack.descriptor, range)
        switch try CMSMessage.read(source) {
        case .signed(let pieces?): try open(pieces, of: source, leaf)
        case .encrypted: defects.insert(.encryptedContent)
        case .signed(nil), .other: break
        case nil:
            // Not readable, so that what it says of itself counts: `enveloped-data`, `authEnveloped-data`.
            let type = leaf.fields.typeParameters["smime-type"]?.lowercased() ?? ""
            if type.contains("enveloped") { defects.insert(.encryptedContent) }
        }
    }

    private mutating func open(
        _ pieces: [Range<Int64>], of source: RawSource, _ leaf: Leaf
    ) throws(ReadError) {
        let begin = pack.position
        // A signed document beside a text, such as `invoice.xml.p7m` (ETSI EN 319 122), is no form of the mail.
        let isDocument = !leaf.item.isTop && leaf.fields.name?.dropLast(".p7m".count).contains(".") ?? false
        // What is inside stands in the place of the part.
        if !isDocument { scopes[leaf.item.scope].leaves -= 1 }
        if !isDocument, try Self.beginsWithEmptyLine(pieces, of: source) {
            // An entity without header fields, which is plain text (RFC 2045 §5.2).
            try ArraySlice("Content-Type: text/plain\n".utf8).withBytes(pack.append)
        }
        for piece in pieces { try source.chunks(piece, pack.append) }
        guard pack.position > begin else { return }
        // Now, before the parts that follow: the text of this one is the body, not a footer behind it.
        try open(
            Decoded(
                range: begin..<pack.position, path: leaf.path, depth: leaf.item.depth + 1,
                scope: isDocument ? nil : leaf.item.scope, kind: .signed))
    }

    private static func beginsWithEmptyLine(
        _ pieces: [Range<Int64>], of source: RawSource
    ) throws(ReadError) -> Bool {
        var head: [UInt8] = []
        for piece in pieces where head.count < 2 {
            try source.chunks(piece.lowerBound..<min(piece.upperBound, piece.lowerBound + 2)) { chunk in head += chunk }
        }
        return head.first == .lf || head.starts(with: [.cr, .lf])
    }
}
