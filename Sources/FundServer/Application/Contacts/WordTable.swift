internal import FundCore
internal import Glibc

/// Places where words begin, and characters of scripts without spaces, found by their first bytes.
/// The text is that of `ContactWords`: each word stands behind a space.
struct WordTable: Sendable {
    /// Bytes of a word by which it is found: a character of most scripts, or two letters of ASCII.
    private static let keyBytes = 3
    /// Mark of a key that stands behind a space.
    private static let wordMark: UInt32 = 1 << 24
    /// Lowest first byte of characters in three and four bytes of UTF-8, among which are all scripts without spaces.
    private static let longLead: UInt8 = 0xE0

    private let text: [UInt8]
    /// Ascending, each once.
    private var keys: [UInt32] = []
    /// Where the positions of each key begin, and behind the last one the end.
    private var starts: [Int] = []
    /// Positions in the text, those of one key together, ascending.
    private var positions: [UInt32] = []

    init(_ text: [UInt8]) {
        self.text = text
        var pairs: [UInt64] = []
        func add(_ key: UInt32, _ position: Int) { pairs.append(UInt64(key) << 32 | UInt64(position)) }
        for (position, byte) in text.enumerated() {
            if byte == .space {
                add(Self.wordMark | Self.key(text[(position + 1)...].prefix(Self.keyBytes)), position)
            } else if byte >= Self.longLead {
                add(Self.key(text[position...].prefix(Self.keyBytes)), position)
            }
        }
        pairs.sort()
        positions.reserveCapacity(pairs.count)
        for pair in pairs {
            let key = UInt32(pair >> 32)
            if keys.last != key {
                keys.append(key)
                starts.append(positions.count)
            }
            positions.append(UInt32(truncatingIfNeeded: pair))
        }
        starts.append(positions.count)
    }

    /// The key of a beginning; with `filler` for bytes that it does not have.
    private static func key(_ bytes: ArraySlice<UInt8>, filler: UInt8 = 0) -> UInt32 {
        var key: UInt32 = 0
        let count = bytes.first.map { $0 < 0x80 } == true ? keyBytes - 1 : keyBytes
        var index = bytes.startIndex
        for number in 0..<keyBytes {
            let byte = number < count ? (index < bytes.endIndex ? bytes[index] : filler) : 0
            key = key << 8 | UInt32(byte)
            index += 1
        }
        return key
    }

    /// The places where a needle of `ContactWords` may stand.
    func places(of needle: [UInt8]) -> Places {
        let isWord = needle.first == .space
        let (mark, bytes) = (isWord ? Self.wordMark : 0, needle.dropFirst(isWord ? 1 : 0).prefix(Self.keyBytes))
        let first = lowerBound(mark | Self.key(bytes))
        let end = lowerBound((mark | Self.key(bytes, filler: .max)) + 1)
        let lists = (first..<end).map { starts[$0]..<starts[$0 + 1] }
        return Places(table: self, needle: needle, lists: lists)
    }

    /// Number of the first key that is no lower.
    private func lowerBound(_ key: UInt32) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// The places of a needle in the text, ascending.
    struct Places {
        fileprivate let table: WordTable
        fileprivate let needle: [UInt8]
        /// The rest of the positions of each key that fits.
        fileprivate var lists: [Range<Int>]

        /// Upper bound for the number of places.
        var count: Int { lists.reduce(0) { $0 + $1.count } }

        /// The next place that is no lower than `position`; nil when there is none.
        mutating func next(from position: Int) -> Int? {
            while let (list, place) = lowest(from: position) {
                lists[list] = lists[list].dropFirst()
                if table.holds(needle, at: place) { return place }
            }
            return nil
        }

        private mutating func lowest(from position: Int) -> (list: Int, place: Int)? {
            var found: (list: Int, place: Int)?
            for index in lists.indices {
                var list = lists[index]
                while let first = list.first, table.positions[first] < position { list = list.dropFirst() }
                lists[index] = list
                guard let first = list.first else { continue }
                let place = Int(table.positions[first])
                if found.map({ place < $0.place }) ?? true { found = (index, place) }
            }
            return found
        }
    }

    private func holds(_ needle: [UInt8], at place: Int) -> Bool {
        guard place + needle.count <= text.count else { return false }
        return text.withUnsafeBytes { text in
            needle.withUnsafeBytes { needle in
                guard let base = text.baseAddress, let wanted = needle.baseAddress else { return false }
                return memcmp(base + place, wanted, needle.count) == 0
            }
        }
    }
}
