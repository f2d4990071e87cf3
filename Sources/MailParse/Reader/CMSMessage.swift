import FundCore

/// Kind of a CMS message (RFC 5652 §3), the form of S/MIME (RFC 8551 §3), by its object identifier, read without any
/// key or certificate.
enum CMSMessage {
    /// Signed data (§5.1) with the place of what is signed; nil when that stands elsewhere or cannot be read: a
    /// detached signature, or certificates alone (RFC 8551 §3.8).
    case signed(content: [Range<Int64>]?)
    case encrypted
    /// Digested, compressed and unknown content.
    case other

    /// Reads a message; nil when the bytes are no CMS message.
    static func read(_ source: RawSource) throws(ReadError) -> CMSMessage? {
        var reader = BERReader(source)
        guard let info = try reader.enter(BERReader.Tag.sequence, before: source.range.upperBound),
            let type = try reader.objectIdentifier(before: info)
        else { return nil }
        if type == Identifier.signedData { return .signed(content: try content(&reader, before: info)) }
        return Identifier.encrypted.contains(type) ? .encrypted : .other
    }

    /// The content of signed data: version and digest algorithms stand before it, certificates and signatures behind.
    private static func content(
        _ reader: inout BERReader, before info: Int64
    ) throws(ReadError) -> [Range<Int64>]? {
        guard let explicit = try reader.enter(BERReader.Tag.context0, before: info),
            let signed = try reader.enter(BERReader.Tag.sequence, before: explicit),
            try reader.skip(BERReader.Tag.integer, before: signed),
            try reader.skip(BERReader.Tag.set, before: signed),
            let encapsulated = try reader.enter(BERReader.Tag.sequence, before: signed),
            try reader.objectIdentifier(before: encapsulated) == Identifier.data,
            let content = try reader.enter(BERReader.Tag.context0, before: encapsulated)
        else { return nil }
        return try reader.octetString(before: content)
    }

    /// Object identifiers as they are encoded (X.690 §8.19).
    private enum Identifier {
        /// 1.2.840.113549.1
        private static let pkcs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01]
        /// 1.2.840.113549.1.7.1 (RFC 5652 §4)
        static let data = pkcs + [7, 1]
        /// 1.2.840.113549.1.7.2 (RFC 5652 §5.1)
        static let signedData = pkcs + [7, 2]
        /// Enveloped (RFC 5652 §6.1), signed and enveloped (RFC 2315 §11), encrypted (RFC 5652 §8), authenticated and
        /// enveloped (RFC 5083 §2.1).
        static let encrypted: Set<[UInt8]> = [pkcs + [7, 3], pkcs + [7, 4], pkcs + [7, 6], pkcs + [9, 16, 1, 23]]
    }
}
