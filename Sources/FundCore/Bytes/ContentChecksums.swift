/// Hashes by which other programs compare files. Weak: they tell accidents, not attacks; `ContentDigest` tells both.
package struct ContentChecksums: Sendable, Hashable {
    /// 16 bytes.
    package var md5: [UInt8]
    /// 20 bytes.
    package var sha1: [UInt8]

    package init(md5: [UInt8], sha1: [UInt8]) {
        self.md5 = md5
        self.sha1 = sha1
    }
}
