internal import FundCore

/// Which content an address of a preview is about, by the first hexadecimal digits of its digest. With them the answer
/// never changes: another content has another address.
enum PreviewVersion {
    /// 64 bits: enough to tell the contents of one file apart.
    private static let digits = 16

    static func text(of digest: ContentDigest) -> String { String(digest.hex.prefix(digits)) }

    /// Whether `text`, from a client, is of this content.
    static func isOf(_ digest: ContentDigest, _ text: String?) -> Bool {
        guard let text, (digits...2 * ContentDigest.byteCount).contains(text.utf8.count) else { return false }
        return digest.hex.utf8.starts(with: text.utf8)
    }
}
