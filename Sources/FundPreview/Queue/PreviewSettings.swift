/// What a store's previews may take.
package struct PreviewSettings: Sendable, Hashable {
    /// Of all renditions, in bytes.
    package var maxCacheBytes: Int64
    /// Converters at a time, beside one for what somebody waits for.
    package var maxJobs: Int
    /// Free bytes on the disk below which nothing is made that nobody waits for.
    package var minFreeBytes: Int64

    package init(maxCacheBytes: Int64 = 10 << 30, maxJobs: Int, minFreeBytes: Int64 = 256 << 20) {
        self.maxCacheBytes = maxCacheBytes
        self.maxJobs = maxJobs
        self.minFreeBytes = minFreeBytes
    }
}
