import FundCore

/// Reads what S/MIME wraps without encrypting it (RFC 8551 §3.5.2), beside the file that the signature is in: a MIME
/// entity as a part of the mail, a document (CAdES, ETSI EN 319 122) as a file.
extension StructureWalk {
    /// Whether a part may be S/MIME: programs that do not know it pass its parts on as any bytes, with their name.
    static func mayBeCMS(_ fields: PartFields) -> Bool {
        switch fields.contentType {
        case "application/pkcs7-mime", "application/x-pkcs7-mime": true
        default: fields.contentType.hasPrefix("application/") && fields.name?.lowercased().hasSuffix(".p7m") ?? false
        }
    }

    /// - Parameter range: the decoded bytes of the part in the pack.
    mutating func openSigned(_ range: Range<Int64>, of leaf: Leaf) throws(ReadError) {
        var signed = Signed(range: range, name: leaf.fields.name, path: leaf.path, depth: leaf.item.depth + 1)
        // A signed document beside a text, such as `invoice.xml.p7m`, is no form of the mail.
        signed.isDocument = !leaf.item.isTop && signed.contentName != nil
        while let inner = try open(signed, of: leaf) { signed = inner }
    }

    /// Signed data in the pack.
    private struct Signed {
        var range: Range<Int64>
        var name: String?
        var path: String
        var depth: Int
        /// Whether it is for itself, and no form of the mail.
        var isDocument = false

        /// The name of the document in it: `contract.pdf` of `contract.pdf.p7m`; nil where only the signature has one.
        var contentName: String? {
            guard let name, name.lowercased().hasSuffix(Self.suffix) else { return nil }
            let inner = name.dropLast(Self.suffix.count)
            return inner.contains(".") ? String(inner) : nil
        }

        static let suffix = ".p7m"
    }

    /// Reads what is signed, or files it; gives it where that is signed data, too.
    private mutating func open(_ signed: Signed, of leaf: Leaf) throws(ReadError) -> Signed? {
        try pack.flush()
        let source = try RawSource(pack.descriptor, signed.range)
        switch try CMSMessage.read(source) {
        case .signed(let pieces?): return try open(pieces, of: source, signed, leaf)
        case .encrypted: defects.insert(.encryptedContent)
        case .signed(nil), .other: break
        case nil:
            // Not readable, so that what it says of itself counts: `enveloped-data`, `authEnveloped-data`.
            let type = leaf.fields.typeParameters["smime-type"]?.lowercased() ?? ""
            if type.contains("enveloped") { defects.insert(.encryptedContent) }
        }
        return nil
    }

    private mutating func open(
        _ pieces: [Range<Int64>], of source: RawSource, _ signed: Signed, _ leaf: Leaf
    ) throws(ReadError) -> Signed? {
        let begin = pack.position
        if !signed.isDocument, try Self.beginsWithEmptyLine(pieces, of: source) {
            // An entity without header fields, which is plain text (RFC 2045 §5.2).
            try ArraySlice("Content-Type: text/plain\n".utf8).withBytes(pack.append)
        }
        let contentBegin = pack.position
        for piece in pieces { try source.chunks(piece, pack.append) }
        let content = contentBegin..<pack.position
        guard !content.isEmpty else { return nil }
        // Now, before the parts that follow: the text of this one is the body, not a footer behind it.
        let isRead = try open(
            Decoded(
                range: begin..<content.upperBound, path: signed.path, depth: signed.depth,
                scope: signed.isDocument ? nil : leaf.item.scope, kind: .signed))
        guard !isRead else {
            // The content stands in the place of the part.
            if !signed.isDocument { scopes[leaf.item.scope].leaves -= 1 }
            return nil
        }
        return try file(content, of: signed)
    }

    /// Files a signed document beside its signature.
    private mutating func file(_ content: Range<Int64>, of signed: Signed) throws(ReadError) -> Signed? {
        guard signed.depth <= limits.maxDepth else { throw .tooComplex("nested deeper than \(limits.maxDepth)") }
        try countPart()
        let inner = Signed(
            range: content, name: signed.contentName, path: Self.path(signed.path, 1), depth: signed.depth + 1,
            isDocument: true)
        add(
            PackedAttachment(
                sentName: inner.name, contentType: DisplayName.contentType(of: inner.name), offset: content.lowerBound,
                count: Int64(content.count), partPath: inner.path), scope: nil)
        return inner.name?.lowercased().hasSuffix(Signed.suffix) ?? false ? inner : nil
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
