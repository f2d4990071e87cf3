import FundCore

/// Reads values in the Basic Encoding Rules (X.690 §8) where they stand in a source, without recursion. No length is
/// believed: a value that does not end within the one around it is none, and their number and depth have a limit.
struct BERReader {
    struct Value {
        let tag: UInt8
        /// Beginning of its content.
        let start: Int64
        /// End of its content; nil for the indefinite form (§8.1.3.6), which ends with end-of-contents octets.
        let end: Int64?

        var isConstructed: Bool { tag & Tag.constructed != 0 }
        fileprivate var isEndOfContents: Bool { tag == 0 && start == end }
    }

    enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let constructed: UInt8 = 0x20
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
        /// `[0] EXPLICIT`
        static let context0: UInt8 = 0xA0
    }

    /// Encoders that stream write pieces of about 1,000 bytes; a message of 100 MB may have some of 400.
    private static let maxValues = 1 << 18
    /// Limit of containers in one another; those of a signed message are five.
    private static let maxDepth = 16
    /// The longest identifier that is compared has 11 bytes.
    private static let maxIdentifierBytes = 32
    private static let windowBytes: Int64 = 4096
    /// A longer tag number goes on in further octets (§8.1.2.4); none that is looked for does.
    private static let highTagNumber: UInt8 = 0x1F

    private let source: RawSource
    private(set) var position: Int64
    private var window: [UInt8] = []
    private var windowStart: Int64 = 0
    private var values = 0

    init(_ source: RawSource) { (self.source, position) = (source, source.range.lowerBound) }

    /// The header of the next value; nil when there is none, or it does not end before `limit`.
    mutating func next(before limit: Int64) throws(ReadError) -> Value? {
        values += 1
        guard values <= Self.maxValues, let tag = try octet(before: limit),
            tag & Self.highTagNumber != Self.highTagNumber, let first = try octet(before: limit)
        else { return nil }
        let isLong = first & 0x80 != 0
        guard isLong else { return value(tag, count: Int64(first), before: limit) }
        let octets = Int(first & 0x7F)
        guard octets > 0 else {
            return tag & Tag.constructed != 0 ? Value(tag: tag, start: position, end: nil) : nil
        }
        // Zeros in front are allowed (§8.1.3.5).
        guard octets <= 8 else { return nil }
        var count: UInt64 = 0
        for _ in 0..<octets {
            guard let next = try octet(before: limit) else { return nil }
            count = count << 8 | UInt64(next)
        }
        return Int64(exactly: count).flatMap { value(tag, count: $0, before: limit) }
    }

    private func value(_ tag: UInt8, count: Int64, before limit: Int64) -> Value? {
        count <= limit - position ? Value(tag: tag, start: position, end: position + count) : nil
    }

    /// Goes into the next value if it has this tag, and gives the limit of what stands in it; else nil.
    mutating func enter(_ tag: UInt8, before limit: Int64) throws(ReadError) -> Int64? {
        guard let value = try next(before: limit), value.tag == tag else { return nil }
        return value.end ?? limit
    }

    /// Goes behind the next value if it has this tag; false when it has not, or does not end.
    mutating func skip(_ tag: UInt8, before limit: Int64) throws(ReadError) -> Bool {
        guard let value = try next(before: limit), value.tag == tag else { return false }
        if let end = value.end {
            position = end
            return true
        }
        return try walk(value, before: limit) { _ in true }
    }

    /// The octets of the next value, an object identifier (§8.19).
    mutating func objectIdentifier(before limit: Int64) throws(ReadError) -> [UInt8]? {
        guard let value = try next(before: limit), value.tag == Tag.objectIdentifier, let end = value.end,
            end - value.start <= Self.maxIdentifierBytes
        else { return nil }
        var bytes: [UInt8] = []
        while position < end, let byte = try octet(before: end) { bytes.append(byte) }
        return bytes.count == Int(end - value.start) ? bytes : nil
    }

    /// Ranges of the octets of the next value, an octet string: in one piece, or in many (§8.7.3). Nil where it is
    /// none.
    mutating func octetString(before limit: Int64) throws(ReadError) -> [Range<Int64>]? {
        guard let value = try next(before: limit) else { return nil }
        if value.tag == Tag.octetString, let end = value.end {
            position = end
            return [value.start..<end]
        }
        guard value.tag == Tag.octetString | Tag.constructed else { return nil }
        var pieces: [Range<Int64>] = []
        let isWhole = try walk(value, before: limit) { inner in
            if inner.tag == Tag.octetString, let end = inner.end { pieces.append(inner.start..<end) }
            return inner.tag & ~Tag.constructed == Tag.octetString
        }
        return isWhole ? pieces : nil
    }

    /// Gives each value inside a constructed one to `take`, at every depth, and ends behind it; false when one is
    /// malformed, or `take` refuses it.
    private mutating func walk(
        _ outer: Value, before limit: Int64, _ take: (Value) -> Bool
    ) throws(ReadError) -> Bool {
        var open = [(end: outer.end, limit: outer.end ?? limit)]
        while let innermost = open.last {
            if position == innermost.end {
                open.removeLast()
                continue
            }
            guard let value = try next(before: innermost.limit) else { return false }
            if value.isEndOfContents {
                guard innermost.end == nil else { return false }
                open.removeLast()
            } else {
                guard take(value) else { return false }
                if value.isConstructed {
                    guard open.count < Self.maxDepth else { return false }
                    open.append((end: value.end, limit: value.end ?? innermost.limit))
                } else {
                    guard let end = value.end else { return false }
                    position = end
                }
            }
        }
        return true
    }

    private mutating func octet(before limit: Int64) throws(ReadError) -> UInt8? {
        guard position < min(limit, source.range.upperBound) else { return nil }
        if position < windowStart || position >= windowStart + Int64(window.count) {
            window.removeAll(keepingCapacity: true)
            windowStart = position
            try source.chunks(position..<(position + Self.windowBytes)) { chunk in window.append(contentsOf: chunk) }
        }
        let index = Int(position - windowStart)
        guard index < window.count else { return nil }
        position += 1
        return window[index]
    }
}
