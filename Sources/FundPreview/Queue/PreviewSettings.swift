/// Limits of a store's previews.
package struct PreviewSettings: Sendable, Hashable {
    /// Bytes of all renditions.
    package var maxCacheBytes: Int64
    /// Converters at a time, beside one for what a request or a list waits for.
    package var maxJobs: Int
    /// Free bytes on the disk below which only what a request or a list waits for is made.
    package var minFreeBytes: Int64

    /// Percent of the last 10 seconds, or of the time since the last look, in which something waits for a processor
    /// (Linux's PSI): above it other work begins twice a minute at most. Converters wait for each other a little.
    package var maxProcessorPressure = 40.0

    /// Nil: words in pictures are not recognised.
    package var recognition: RecognitionSettings? = RecognitionSettings()

    package init(maxCacheBytes: Int64 = 10 << 30, maxJobs: Int, minFreeBytes: Int64 = 256 << 20) {
        self.maxCacheBytes = maxCacheBytes
        self.maxJobs = maxJobs
        self.minFreeBytes = minFreeBytes
    }
}
