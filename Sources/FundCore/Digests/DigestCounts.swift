/// People by the digests that they get.
package struct DigestCounts: Sendable, Hashable {
    /// Enabled people who hear of news; a pace without anybody is missing.
    package var news: [NewsPace: Int] = [:]
    /// Enabled administrators who get the digest of the desk.
    package var desk = 0

    package init() {}
}
