/// The version in the address of a preview: the first hexadecimal digits of the content's digest. With them the answer
/// never changes: another content has another address.
package enum PreviewVersion {
    /// 40 bits: enough to tell the contents of one file apart, and few, since each row of a list has its own.
    private static let byteCount = 5
    private static let digits = 2 * byteCount

    package static func text(of digest: ContentDigest) -> String {
        digest.withUnsafeBytes { Hex.text($0[..<byteCount]) }
    }

    /// True when `text`, from a client, belongs to this content.
    package static func isOf(_ digest: ContentDigest, _ text: String?) -> Bool {
        guard let text, (digits...2 * ContentDigest.byteCount).contains(text.utf8.count) else { return false }
        return digest.hex.utf8.starts(with: text.utf8)
    }
}
