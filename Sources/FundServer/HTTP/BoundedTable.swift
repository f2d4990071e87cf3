/// A dictionary for values that can be looked up again: when it is full, it is emptied.
struct BoundedTable<Key: Hashable, Value> {
    private let maxEntries: Int
    private var entries: [Key: Value] = [:]

    init(maxEntries: Int) { self.maxEntries = maxEntries }

    var isFull: Bool { entries.count >= maxEntries }

    subscript(key: Key) -> Value? {
        get { entries[key] }
        set {
            if isFull { removeAll() }
            entries[key] = newValue
        }
    }

    mutating func removeAll() { entries = [:] }
}

extension BoundedTable: Sendable where Key: Sendable, Value: Sendable {}
