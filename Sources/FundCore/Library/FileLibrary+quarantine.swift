extension FileLibrary {
    /// Why a content or raw message is held back, in words that name the malware; nil for one that is not. Blocks for
    /// the time of a read. Throws `StoreError`, as `content` does.
    package func quarantineReason(of digest: ContentDigest, size: Int64) throws -> String? {
        do {
            _ = try content(of: digest, size: size)
            return nil
        } catch let failure as StoreError where failure.code == .quarantined {
            return failure.detail
        }
    }
}
