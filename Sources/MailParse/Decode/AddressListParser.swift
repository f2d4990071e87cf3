package import Ingest

/// Address lists (RFC 5322 §3.4, obsolete syntax §4.4 included).
package enum AddressListParser {
    package static func parse(
        _ value: [UInt8], charsets: CharsetDecoder, messageCharset: String? = nil
    ) -> (field: AddressField, defects: Set<Defect>) {
        (AddressField(mailboxes: []), [])
    }
}
