package import Ingest

/// The value of `Content-Type` or `Content-Disposition` with its parameters (RFC 2045 §5.1, RFC 2183, RFC 2231).
package struct MIMEField: Sendable, Hashable {
    /// `text/plain`, `attachment`: lower-case, comments taken off, "" when there is none.
    package var value: String = ""
    /// Decoded, by lower-case name.
    package var parameters: [String: String] = [:]
    package var defects: Set<Defect> = []

    package init(_ bytes: [UInt8], charsets: CharsetDecoder, messageCharset: String? = nil) {}
}
