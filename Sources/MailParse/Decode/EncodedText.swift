/// RFC 2047 decoding.
package enum EncodedText {
    /// The value of an unstructured field (RFC 5322 §3.6.5), one line, free of controls.
    package static func unstructured(
        _ value: [UInt8], charsets: CharsetDecoder, messageCharset: String? = nil
    ) -> DecodedText {
        charsets.decode(value, charset: messageCharset)
    }
}
