import FundCore
internal import Synchronization

/// A value read from rows, kept until something is written: at once for a write of this process, after `maxAge` for one
/// of another.
final class RowCache<Value: Sendable>: Sendable {
    private struct State {
        var value: Value?
        /// Count of writes before the value was read.
        var writeCount = -1
        var readAt = ContinuousClock.now
    }

    static var maxAge: Duration { .milliseconds(50) }

    private let commits: Signal
    /// Held while the rows are read: who comes meanwhile waits for that value instead of reading it, too.
    private let reading = Mutex(())
    private let state = Mutex(State())

    init(_ rows: some RowDatabase) { commits = rows.commits }

    /// Passes the value to `body` without reading any rows; nil when they have to be read.
    func known<Result>(_ body: (Value) -> Result) -> Result? {
        let count = commits.count
        let value: Value? = state.withLock { state in
            state.writeCount == count && .now - state.readAt < Self.maxAge ? state.value : nil
        }
        return value.map(body)
    }

    /// The value, read anew where it is not known. Blocks.
    ///
    /// - Parameter read: reads the rows; it gets the value before, which may still hold.
    func value(_ read: (_ last: Value?) throws -> Value) rethrows -> Value {
        if let value = known(\.self) { return value }
        return try reading.withLock { _ in
            if let value = known(\.self) { return value }
            let (count, now) = (commits.count, ContinuousClock.now)
            let value = try read(state.withLock(\.value))
            state.withLock { $0 = State(value: value, writeCount: count, readAt: now) }
            return value
        }
    }
}
