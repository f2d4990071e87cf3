/// Segments that are open, of which few are: the one that was not used for longest is closed for another.
struct OpenSegments<Key: Equatable, Segment> {
    /// Upper bound for open descriptors.
    private static var limit: Int { 64 }

    /// The latest used stands last.
    private var entries: [(key: Key, segment: Segment)] = []

    var isEmpty: Bool { entries.isEmpty }

    /// A segment if it is open, without use of it.
    subscript(_ key: Key) -> Segment? { entries.last { $0.key == key }?.segment }

    /// A segment, opened by `open` unless it is open.
    mutating func use(_ key: Key, open: (inout OpenSegments) throws -> Segment) rethrows -> Segment {
        if let index = entries.lastIndex(where: { $0.key == key }) {
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry.segment
        }
        let segment = try open(&self)
        if entries.count >= Self.limit { entries.removeFirst() }
        entries.append((key, segment))
        return segment
    }

    mutating func close(_ key: Key) { entries.removeAll { $0.key == key } }
    mutating func closeAll() { entries = [] }
}
