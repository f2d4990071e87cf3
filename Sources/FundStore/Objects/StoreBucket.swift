package import FundCore
internal import ObjectStorage
internal import Synchronization

/// The bucket that has the sealed segments of a store: what stands there, and what brings it there.
package final class StoreBucket: Sendable {
    /// A segment that no process appends to is sealed, and put, once it has so many bytes.
    private static let sealedBytes: Int64 = 8 << 20
    /// Time that a look at the bucket is good for.
    private static let lookPeriod = Duration.seconds(10)

    private let log: StoreLog
    private let objects: LogObjects
    private let failure = Mutex<StoreError?>(nil)
    private let looked = Mutex<(at: ContinuousClock.Instant, problem: StoreError?)?>(nil)

    private var connection: StoreConnection { log.connection }

    /// Nil for a store that has all segments as files.
    init?(of log: StoreLog) {
        guard let objects = log.objects else { return nil }
        (self.log, self.objects) = (log, objects)
    }

    package var place: BytesPlace { objects.access.place }

    /// Reason why the last run of `keep` failed; nil after one that did not.
    package var lastFailure: StoreError? { failure.withLock(\.self) }

    /// Puts segments that are sealed, and gives files back to the disk. Nil while another process is at it. Throws
    /// `unreachable` (also without a key), `io`.
    ///
    /// - Parameters:
    ///   - isWhole: segments that have a few bytes alone are sealed and put, too.
    ///   - isDeleting: deletes what nothing needs since a day, see `ObjectUpkeep.run`.
    package func keep(
        isWhole: Bool = false, isDeleting: Bool = false, shouldStop: @escaping @Sendable () -> Bool = { false },
        onProgress: @escaping @Sendable (BucketReport) -> Void = { _ in }
    ) async throws -> BucketReport? {
        try await running("bring segments to the bucket") { [log, objects] in
            var upkeep = ObjectUpkeep(
                of: log, in: try objects.forUpkeep(), shouldStop: shouldStop, onProgress: onProgress)
            return try upkeep.run(
                sealing: isWhole ? 0 : Self.sealedBytes, keeping: objects.access.place.localBytes,
                isDeleting: isDeleting)
        }
    }

    /// Fetches all segments that have no file. Throws as `keep`, and `held` while another process is at it.
    package func fetchAll(
        shouldStop: @escaping @Sendable () -> Bool = { false },
        onProgress: @escaping @Sendable (BucketReport) -> Void = { _ in }
    ) async throws -> BucketReport {
        try await running("fetch segments") { [log, objects] in
            var upkeep = ObjectUpkeep(
                of: log, in: try objects.forUpkeep(), shouldStop: shouldStop, onProgress: onProgress)
            try upkeep.fetchAll()
            return upkeep.report
        }
    }

    private func running<Value: Sendable>(
        _ operation: String, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await connection.queues.bucket.run { [self] in
            do {
                let value = try StoreError.wrapping(operation, body)
                failure.withLock { $0 = nil }
                return value
            } catch {
                failure.withLock { $0 = error as? StoreError }
                throw error
            }
        }
    }

    /// Counts by the rows, without a request.
    package func status() async throws -> BucketStatus {
        try await connection.reading("count segments in the bucket") { db in
            let rows = SegmentObjectRows(db: db)
            let (whole, waiting) = (try rows.wholeCounts(), try rows.waiting())
            return BucketStatus(
                segments: whole.segments, bytes: whole.bytes, alone: whole.alone, waiting: waiting.segments,
                waitingBytes: waiting.bytes, going: try rows.all(.going).count)
        }
    }

    /// Looks whether the bucket answers and has the log, once in ten seconds; within five. Throws `unreachable`,
    /// `logLost`.
    package func check() async throws {
        try await connection.queues.bucketLook.run { [self] in
            if let last = looked.withLock(\.self), ContinuousClock.now - last.at < Self.lookPeriod {
                if let problem = last.problem { throw problem }
                return
            }
            let result = Result {
                try StoreError.wrapping("look at the bucket") { try objects.forReading().requireInPlace() }
            }
            var problem: StoreError?
            if case .failure(let error) = result { problem = error as? StoreError }
            looked.withLock { $0 = (.now, problem) }
            try result.get()
        }
    }
}
