/// A dictionary for values that can be looked up again: when it is full, it is emptied.
package struct BoundedTable<Key: Hashable, Value> {
    @usableFromInline let maxEntries: Int
    @usableFromInline var entries: [Key: Value] = [:]

    @inlinable package init(maxEntries: Int) { self.maxEntries = maxEntries }

    @inlinable package var isFull: Bool { entries.count >= maxEntries }

    /// Setting a value empties a full table first.
    @inlinable package subscript(key: Key) -> Value? {
        get { entries[key] }
        set {
            if isFull { removeAll() }
            entries[key] = newValue
        }
    }

    @inlinable package mutating func removeAll() { entries = [:] }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
