/// A fault of a message that could be read all the same. Bad mail is data: the message is filed with its defects
/// listed. Raw values stand in the database and in JSON.
package enum Defect: String, Sendable, Hashable, CaseIterable, Codable {
    // the transfer
    /// The server twice sent another number of bytes than it announced: some may be missing. Its copy stays.
    case sizeMismatch = "size_mismatch"
    /// A line of an mbox file looks like the beginning of another message, but that is not certain: it, and what
    /// follows, was read as text of this one.
    case otherMessageInside = "other_message_inside"
    // the header
    /// More than one `From` field (RFC 5322 §3.6 allows one).
    case duplicateFrom = "duplicate_from"
    /// More than one `Subject` field. The first is shown; routing looks at all.
    case duplicateSubject = "duplicate_subject"
    /// A NUL octet in a header field: readers cut the field there, each its own way.
    case nulInHeader = "nul_in_header"
    /// A CR without LF in a header field: some readers see a line end there.
    case bareCRInHeader = "bare_cr_in_header"
    /// Bytes above 127 in a header field that is not UTF-8 (RFC 6532): the charset was guessed.
    case raw8BitHeader = "raw_8bit_header"
    /// A header line that is neither a field nor a continuation.
    case malformedHeaderLine = "malformed_header_line"
    /// An address field that does not follow RFC 5322 §3.4.
    case malformedAddress = "malformed_address"
    /// Empty lines before the header, which were skipped.
    case leadingBlankLine = "leading_blank_line"
    /// An mbox `From ` line before the header, which was skipped.
    case mboxFromLine = "mbox_from_line"
    /// An encoded word (RFC 2047) that could not be decoded and stands as it came.
    case undecodableEncodedWord = "undecodable_encoded_word"
    // MIME fields
    /// Two `Content-Type` fields in one part: the last counts, as in GMime.
    case duplicateContentType = "duplicate_content_type"
    /// Two `Content-Disposition` fields in one part: the last counts, as in GMime.
    case duplicateContentDisposition = "duplicate_content_disposition"
    /// Two `Content-Transfer-Encoding` fields in one part: the last counts, as in GMime.
    case duplicateTransferEncoding = "duplicate_transfer_encoding"
    /// A parameter given twice, or `filename` unlike `filename*`: the extended form (RFC 2231), then the first.
    case conflictingParameter = "conflicting_parameter"
    /// RFC 2231 continuations with a number missing: only the run from `*0` counts.
    case parameterGap = "parameter_gap"
    /// An encoded word inside a quoted parameter, or for a whole MIME field (forbidden by RFC 2047 §5): decoded.
    case encodedWordInParameter = "encoded_word_in_parameter"
    /// A file name with control, bidi or path characters, or reserved: its display name differs from what was sent.
    case unsafeFileName = "unsafe_file_name"
    // text
    /// A charset outside the allow-list, or none that fits: decoded by guess.
    case unknownCharset = "unknown_charset"
    /// Bytes that are not valid in the declared charset, or mean another one: shown as U+FFFD, or that one was taken.
    case invalidCharsetData = "invalid_charset_data"
    /// The text body was longer than what is kept for display; the whole is filed as an attachment.
    case bodyTruncated = "body_truncated"
    // structure
    /// `multipart/*` without a boundary parameter.
    case missingBoundary = "missing_boundary"
    /// The final boundary is missing: the message may have been cut off.
    case missingFinalBoundary = "missing_final_boundary"
    /// `multipart/*` in base64 or quoted-printable (RFC 2045 §6.4 forbids it).
    case encodedMultipart = "encoded_multipart"
    /// Something that looks like a part or a file stands before the first or after the last boundary.
    case contentOutsideParts = "content_outside_parts"
    /// No empty line parts a header from its body (RFC 5322 §2.1): the first line that is no field begins the body.
    case missingHeaderSeparator = "missing_header_separator"
    /// `message/partial` (RFC 2046 §5.2.2): kept as a file, not put together.
    case partialMessage = "partial_message"
    /// An encrypted part: kept as a file, not opened.
    case encryptedContent = "encrypted_content"
    // encodings
    /// A `=` in the middle of base64: decoded on after it (RFC 4648 §3.3 leaves it open).
    case base64StrayPadding = "base64_stray_padding"
    /// Characters outside the base64 alphabet, skipped (RFC 2045 §6.8).
    case base64InvalidCharacters = "base64_invalid_characters"
    /// Base64 that ends inside a group: the bytes that its characters determine are kept.
    case base64Truncated = "base64_truncated"
    /// Text behind base64, as mail servers add below what they pass on: left out.
    case base64TrailingText = "base64_trailing_text"
    /// Uuencoded data without its `end` line, or with lines shorter than they say.
    case uuencodeTruncated = "uuencode_truncated"
    /// `winmail.dat` that could not be read to its end: filed as it came.
    case malformedTNEF = "malformed_tnef"
}
