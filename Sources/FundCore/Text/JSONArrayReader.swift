/// Reads the elements of a JSON array (RFC 8259 §5) that is too large for memory, one after the other. Only what parts
/// elements is followed: strings, brackets and commas. The reader of an element finds whether it is JSON.
package struct JSONArrayReader {
    /// An element of the array.
    package enum Element: Equatable {
        /// Its bytes, with white space around them.
        case bytes([UInt8])
        /// One that is larger than may be held, or has brackets within each other deeper than may be read.
        case tooLarge
    }

    /// A text that is no array: where that is found, in bytes from its beginning, and why.
    package struct Malformed: Error, Equatable {
        package var offset: Int64
        package var problem: String
    }

    private static let chunkBytes = 256 * 1024

    private let maxBytes: Int
    private let maxDepth: Int
    /// Fills a buffer, and returns how many bytes it has; 0 at the end.
    private let fill: (UnsafeMutableRawBufferPointer) throws -> Int
    private var chunk = [UInt8](repeating: 0, count: chunkBytes)
    /// Bytes of it that were filled, and how many of them are read.
    private var (end, position) = (0, 0)
    /// Bytes before the chunk.
    private var offset: Int64 = 0
    private var state = State.before

    private enum State { case before, inside, after }

    /// - Parameters:
    ///   - maxBytes: limit of an element, in bytes.
    ///   - maxDepth: limit of brackets within each other in an element.
    ///   - fill: fills a buffer with the next bytes, and returns how many they are; 0 at the end.
    package init(maxBytes: Int, maxDepth: Int, fill: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        (self.maxBytes, self.maxDepth, self.fill) = (maxBytes, maxDepth, fill)
    }

    /// The next element; nil behind the last. Throws `Malformed`, and the errors of `fill`.
    package mutating func next() throws -> Element? {
        switch state {
        case .before:
            guard try nextVisible() == Self.openBracket else { throw malformed("it is no list") }
            position += 1
            guard try nextVisible() != Self.closeBracket else { return try finish() }
            state = .inside
        case .inside:
            // The element before ended at one of both.
            let separator = try nextVisible()
            if separator == Self.closeBracket { return try finish() }
            position += 1
        case .after: return nil
        }
        return try element()
    }

    private static let (openBracket, closeBracket) = (UInt8(ascii: "["), UInt8(ascii: "]"))
    private static let (openBrace, closeBrace) = (UInt8(ascii: "{"), UInt8(ascii: "}"))

    /// Takes the bracket that ends the array, behind which nothing may follow.
    private mutating func finish() throws -> Element? {
        position += 1
        state = .after
        guard try nextVisible() == nil else { throw malformed("something stands behind the list") }
        return nil
    }

    /// The next byte that is no white space, which stays the next; nil at the end.
    private mutating func nextVisible() throws -> UInt8? {
        repeat {
            while position < end {
                let byte = chunk[position]
                guard byte == .space || byte == .lf || byte == .cr || byte == .tab else { return byte }
                position += 1
            }
        } while try refill()
        return nil
    }

    /// All up to the comma or bracket behind an element, which stays the next byte.
    private mutating func element() throws -> Element {
        var scan = ElementScan()
        var bytes: [UInt8] = []
        var isTooLarge = false
        while true {
            let start = position
            position = chunk.withUnsafeBytes { scan.run($0[..<end], from: start) }
            isTooLarge = isTooLarge || scan.deepest > maxDepth || bytes.count + position - start > maxBytes
            if isTooLarge { bytes = [] } else { bytes += chunk[start..<position] }
            if scan.isDone { return isTooLarge ? .tooLarge : .bytes(bytes) }
            if scan.isUnbalanced { throw malformed("a bracket closes that none opened") }
            guard try refill() else { throw malformed("it ends in the middle of the list") }
        }
    }

    /// False at the end. All of the chunk has been read.
    private mutating func refill() throws -> Bool {
        offset += Int64(end)
        (end, position) = (0, 0)
        end = try chunk.withUnsafeMutableBytes { try fill($0) }
        return end > 0
    }

    private func malformed(_ problem: String) -> Malformed {
        Malformed(offset: offset + Int64(position), problem: problem)
    }

    /// Where an element is, from its first byte on.
    private struct ElementScan {
        private var depth = 0
        private(set) var deepest = 0
        private var isInString = false
        private var isEscaped = false
        private(set) var isDone = false
        private(set) var isUnbalanced = false

        /// Goes on with these bytes, and returns where it stopped: at what stands behind the element, or at their end.
        mutating func run(_ bytes: Slice<UnsafeRawBufferPointer>, from start: Int) -> Int {
            var index = start
            while index < bytes.endIndex {
                let byte = bytes[index]
                if isInString {
                    if isEscaped {
                        isEscaped = false
                    } else if byte == .backslash {
                        isEscaped = true
                    } else if byte == .quote {
                        isInString = false
                    }
                } else {
                    switch byte {
                    case .quote: isInString = true
                    case openBracket, openBrace:
                        depth += 1
                        deepest = max(deepest, depth)
                    case closeBracket, closeBrace:
                        if depth == 0 {
                            isDone = byte == closeBracket
                            isUnbalanced = !isDone
                            return index
                        }
                        depth -= 1
                    case .comma:
                        if depth == 0 {
                            isDone = true
                            return index
                        }
                    default: break
                    }
                }
                index += 1
            }
            return index
        }
    }
}
