internal import FundCore
internal import Synchronization

/// Values that were read from the store, kept while its `dataVersion` is the same.
final class VersionedValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct State {
        var version: Int64 = .min
        var entries: BoundedTable<Key, Value>
    }

    private let maxEntries: Int
    private let dataVersion: @Sendable () throws -> Int64
    private let state: Mutex<State>

    init(maxEntries: Int, dataVersion: @escaping @Sendable () throws -> Int64) {
        self.maxEntries = maxEntries
        self.dataVersion = dataVersion
        state = Mutex(State(entries: BoundedTable(maxEntries: maxEntries)))
    }

    /// The value of this key, which `read` reads unless it is kept. Throws `StoreError`, and what `read` throws.
    /// - Parameter isKept: whether a value that was read is kept.
    func value(
        of key: Key, keptIf isKept: (Value) -> Bool = { _ in true }, _ read: () async throws -> Value
    ) async throws -> Value {
        // Asked before the rows are read: what is read is at least as new.
        let version = try dataVersion()
        if let known = known(key, at: version) { return known }
        let value = try await read()
        guard isKept(value) else { return value }
        state.withLock { state in
            if state.version == version { state.entries[key] = value }
        }
        return value
    }

    private func known(_ key: Key, at version: Int64) -> Value? {
        state.withLock { state in
            if state.version != version {
                state = State(version: version, entries: BoundedTable(maxEntries: maxEntries))
            }
            return state.entries[key]
        }
    }
}
