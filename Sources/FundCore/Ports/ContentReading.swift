/// Bytes of the store by their digest. The caller has checked that the user may read them. Errors are `StoreError`.
package protocol ContentReading: Sendable {
    /// The bytes of a file, an attachment or a raw message. Throws `corrupted` when they are missing or have another
    /// size. Blocks.
    func content(of digest: ContentDigest, size: Int64) throws -> any StoredContent
    /// The checksums that `keepChecksums` kept.
    func checksums(of digests: [ContentDigest]) async throws -> [ContentDigest: ContentChecksums]
    /// Keeps checksums for good: bytes never change.
    func keepChecksums(_ checksums: [ContentDigest: ContentChecksums]) async throws
}

extension ContentReading {
    /// The reason for which a content or raw message is held back, in words that name the malware; nil for one that is
    /// not. Blocks for the time of a read. Throws as `content` does.
    package func quarantineReason(of digest: ContentDigest, size: Int64) throws -> String? {
        do {
            _ = try content(of: digest, size: size)
            return nil
        } catch let failure as StoreError where failure.code == .quarantined {
            return failure.detail
        }
    }
}
