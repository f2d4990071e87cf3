/// Abilities that S3-compatible stores have or lack, as `StoreProbe` finds them.
package struct StoreAbilities: Codable, Sendable, Hashable {
    /// `If-None-Match: *` keeps an object that is there (https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2).
    package var hasConditionalPut = false
    /// A part of an object can be had by itself.
    package var hasRanges = false
    /// A request that was signed with a wrong key is refused.
    package var checksSignatures = false
    /// Bytes that do not have the digest of their request's signature are refused.
    package var checksPayloads = false
    /// Bytes that do not have the checksum of `x-amz-checksum-sha256` are refused, and right ones are taken.
    package var hasChecksums = false
    /// A listing names an object as soon as it is there.
    package var listsAtOnce = false
    /// Objects can be put in parts.
    package var hasMultipart = false

    package init() {}
}
