package import FundCore

extension StoreMaintenance {
    /// Limit of bytes that one call copies: a few seconds of a disk.
    private static let compactedBytes: Int64 = 256 << 20

    /// Removes what a killed process left in `tmp`, and uploads that no client went on with for a day, gives the bytes
    /// of what was purged back to the disk, and compacts the log. Safe beside runs and uploads of any process. Returns
    /// how many files of `tmp` went.
    package func sweep(now: Timestamp = .now) async throws -> Int {
        try await connection.running("remove what a crash left") { [log] in
            var count = try LargeRecord.sweep(log.connection.location.temporary)
            count += try KeptUpload.sweep(log, now: now)
            try log.reclaim()
            try log.compact(atMost: Self.compactedBytes)
            return count
        }
    }
}
