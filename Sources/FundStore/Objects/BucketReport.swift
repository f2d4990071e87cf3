/// Outcome of a run of `ObjectUpkeep`.
package struct BucketReport: Hashable, Sendable {
    /// Segments that were put, and their bytes.
    package var put = 0
    package var putBytes: Int64 = 0
    /// Segments that were fetched from the bucket.
    package var fetched = 0
    /// Segments whose files were given back to the disk, and their bytes.
    package var givenBack = 0
    package var givenBackBytes: Int64 = 0
    /// Objects that were deleted, since nothing needs them since a day.
    package var deleted = 0
    /// Reasons why something was left as it is, one sentence each without its full stop.
    package var problems: [String] = []

    package init() {}
}

/// Segments of a store as objects, in numbers.
package struct BucketStatus: Hashable, Sendable {
    /// Objects that have all of their segment, and their bytes.
    package var segments = 0
    package var bytes: Int64 = 0
    /// Segments among them that have no file on this disk.
    package var alone = 0
    /// Segments without an object, and their bytes: so much of mail and files is on this disk only.
    package var waiting = 0
    package var waitingBytes: Int64 = 0
    /// Objects that are to be deleted.
    package var going = 0
}
