package import Ingest

package final class FundStore: IngestStore, Sendable {
    package enum OpenMode: Sendable { case create, existing, readOnly }
    package let path: String
    package let spool: SpoolDirectory
    init(path: String, spool: SpoolDirectory) { self.path = path; self.spool = spool }
    package static func open(at path: String, mode: OpenMode, faults: FaultInjection = .none) throws -> FundStore {
        throw StoreError(.invalid, "open the store", "not built yet")
    }
    package func close() throws {}
    /// Waits for the run lock; nil waits not at all. Throws `held`, naming the holder.
    package func acquireRunLock(holder: String, waitingUpTo wait: Duration? = nil) throws -> RunLock {
        throw StoreError(.invalid, "lock the store", "not built yet")
    }
    package func directory() throws -> Directory { throw StoreError(.invalid, "read", "not built yet") }
    /// Where a raw message stands.
    package func rawPath(_ digest: ContentDigest) -> String { "\(path)/raw/\(digest.hex.prefix(2))/\(digest.hex.dropFirst(2)).eml" }
    package func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage { throw StoreError(.invalid, "stage", "not built yet") }
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        throw StoreError(.invalid, "commit", "not built yet")
    }
}
/// Held until `release()` or deinit.
package final class RunLock: Sendable { package func release() {} }
