import FundCore
internal import Synchronization

/// A content of the log, wherever it stands: it may be moved while it is read. It keeps no file open
/// after the first read.
final class LogContent: StoredContent {
    let digest: ContentDigest
    let size: Int64

    private struct State {
        /// Nil for an empty one.
        var known: KnownRecord?
        /// The record as it was opened, for the first read.
        var opened: LogRecord?
    }

    private let state: Mutex<State>
    private let log: StoreLog

    init(digest: ContentDigest, size: Int64, _ opened: LogRecord?, in log: StoreLog) {
        self.digest = digest
        self.size = size
        state = Mutex(State(known: opened?.known, opened: opened))
        self.log = log
    }

    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        let (known, opened) = state.withLock { ($0.known, $0.opened.take()) }
        guard !range.isEmpty, let known else { return }
        let location = known.header.location(in: known.segment)
        var position = range.lowerBound
        func pass(_ bytes: UnsafeRawBufferPointer) throws {
            try consume(bytes)
            position += Int64(bytes.count)
        }
        let operation = "read a file"
        try StoreError.wrapping(operation) {
            do {
                try (opened ?? reopen(known)).content(range, log.blob, pass)
            } catch let damage as LogDamage {
                // It, or what it repeats, may stand elsewhere by now; or it was purged.
                let locations = try log.locations(of: digest)
                guard let other = locations.first(where: { $0 != location }) ?? locations.first else {
                    throw StoreError(.notFound, operation, "it was deleted for good meanwhile (\(damage))")
                }
                let record = try log.reader.record(at: other, of: digest, isNeeded: true)
                try record.content(position..<range.upperBound, log.blob, pass)
                state.withLock { $0.known = record.known }
            }
        }
    }

    /// Opens a record with its header read anew, and with the blocks that are known to be whole.
    private func reopen(_ known: KnownRecord) throws -> LogRecord {
        let record = try log.reader.record(at: known.header.location(in: known.segment), of: digest)
        return LogRecord(known, in: record.segment, whole: record.whole)
    }

    func readWithoutWaiting(at offset: Int64, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
        record?.readChecked(at: offset, into: buffer) ?? false
    }

    func region(_ range: Range<Int64>) -> StoredRegion? { record?.region(range) }

    /// The record; nil where opening it may have to wait for the disk.
    private var record: LogRecord? { state.withLock { $0.known }.flatMap { log.reader.record($0) } }
}
