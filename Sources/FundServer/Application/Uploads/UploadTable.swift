internal import FundCore
internal import Synchronization

/// Which uploads have a request under way, so that each has one at a time. A later request ends an earlier one that
/// still waits for bytes: its client has given that up, most often since the line was cut without a word (§4.6 of
/// draft-ietf-httpbis-resumable-upload-12). Between requests an upload stays open for a while, so that it need not be
/// read again.
final class UploadTable: Sendable {
    private struct Entry {
        /// Number of the request that has it; nil between requests.
        var user: UInt64?
        var interrupt: (@Sendable () -> Void)?
        var waiting: [CheckedContinuation<UInt64, Never>] = []
        var upload: (any OpenUpload)?
        /// Bytes of the request under way that came and are not written yet.
        var unwrittenBytes = 0
        /// Number of the last request that had it.
        var last: UInt64 = 0
    }

    private struct State {
        var entries: [UploadKey: Entry] = [:]
        var count: UInt64 = 0
    }

    /// Uploads that stay open without a request: each has a descriptor, and 8 bytes of memory for each 64 KiB.
    private static let maxIdle = 64

    /// Time for which an upload stays open without a request.
    private let idleTime: Duration
    private let state = Mutex(State())

    init(idleTime: Duration = .seconds(300)) { self.idleTime = idleTime }

    /// Runs `body` while no other request has the upload.
    func withAccess<Value>(to key: UploadKey, _ body: (UploadAccess) async throws -> Value) async rethrows -> Value {
        let access = UploadAccess(table: self, key: key, number: await enter(key))
        defer { leave(key, access.number) }
        return try await body(access)
    }

    private func enter(_ key: UploadKey) async -> UInt64 {
        await withCheckedContinuation { continuation in
            let (number, interrupt): (UInt64?, (@Sendable () -> Void)?) = state.withLock { state in
                guard state.entries[key]?.user == nil else {
                    state.entries[key]?.waiting.append(continuation)
                    return (nil, state.entries[key]?.interrupt)
                }
                state.count += 1
                state.entries[key, default: Entry()].user = state.count
                return (state.count, nil)
            }
            if let number { continuation.resume(returning: number) }
            interrupt?()
        }
    }

    private func leave(_ key: UploadKey, _ number: UInt64) {
        let (next, isIdle) = state.withLock { state in
            guard var entry = state.entries[key] else {
                return (((CheckedContinuation<UInt64, Never>, UInt64)?).none, false)
            }
            (entry.interrupt, entry.last, entry.unwrittenBytes) = (nil, number, 0)
            guard entry.waiting.isEmpty else {
                let first = entry.waiting.removeFirst()
                state.count += 1
                entry.user = state.count
                state.entries[key] = entry
                return ((first, state.count), false)
            }
            entry.user = nil
            state.entries[key] = entry.upload == nil ? nil : entry
            return (nil, entry.upload != nil)
        }
        if let (continuation, number) = next { continuation.resume(returning: number) }
        guard isIdle else { return }
        closeOldest()
        Task { [weak self, idleTime] in
            try? await Task.sleep(for: idleTime)
            self?.close(key, ifLast: number)
        }
    }

    /// Where more are open without a request than may be.
    private func closeOldest() {
        let oldest: (UploadKey, UInt64)? = state.withLock { state in
            let idle = state.entries.filter { $0.value.user == nil }
            guard idle.count > Self.maxIdle else { return nil }
            return idle.min { $0.value.last < $1.value.last }.map { ($0.key, $0.value.last) }
        }
        if let (key, number) = oldest { close(key, ifLast: number) }
    }

    private func close(_ key: UploadKey, ifLast number: UInt64) {
        // Closed outside the lock.
        let closed = state.withLock { state in
            guard let entry = state.entries[key], entry.user == nil, entry.last == number else {
                return (any OpenUpload)?.none
            }
            state.entries[key] = nil
            return entry.upload
        }
        closed?.endRequest()
    }

    /// Bytes that came and are not written yet, of all requests under way.
    var unwrittenBytes: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.unwrittenBytes } } }

    fileprivate func set(unwrittenBytes count: Int, _ key: UploadKey) {
        state.withLock { $0.entries[key]?.unwrittenBytes = count }
    }

    fileprivate func upload(_ key: UploadKey) -> (any OpenUpload)? { state.withLock { $0.entries[key]?.upload } }

    fileprivate func set(_ upload: (any OpenUpload)?, _ key: UploadKey) {
        let former = state.withLock { state in
            defer { state.entries[key]?.upload = upload }
            return state.entries[key]?.upload
        }
        withExtendedLifetime(former) {}
    }

    /// Gives whether a later request waits already.
    fileprivate func set(interrupt: (@Sendable () -> Void)?, _ key: UploadKey) -> Bool {
        state.withLock { state in
            state.entries[key]?.interrupt = interrupt
            return !(state.entries[key]?.waiting.isEmpty ?? true)
        }
    }
}

/// The access of the one request that may use an upload now.
struct UploadAccess: Sendable {
    fileprivate let table: UploadTable
    let key: UploadKey
    fileprivate let number: UInt64

    /// The upload, where it is open.
    var upload: (any OpenUpload)? { table.upload(key) }

    /// Keeps it open for the next request; nil closes it.
    func keep(_ upload: (any OpenUpload)?) { table.set(upload, key) }

    /// Notes how many bytes came that are not written yet.
    func note(unwrittenBytes count: Int) { table.set(unwrittenBytes: count, key) }

    /// Runs `body`, which waits for bytes, and calls `interrupt` when a later request comes.
    func interruptible<Value>(
        _ interrupt: @escaping @Sendable () -> Void, _ body: () async throws -> Value
    ) async rethrows -> Value {
        if table.set(interrupt: interrupt, key) { interrupt() }
        defer { _ = table.set(interrupt: nil, key) }
        return try await body()
    }
}
