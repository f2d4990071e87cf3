import FundCore

/// Writes base64 in lines (RFC 2045 §6.8), as it stands in a message.
struct Base64LineEncoder {
    /// Breaks of the text into lines. The last line has no end.
    struct Lines: Hashable, Sendable {
        enum End: UInt8, Sendable {
            case lf = 1, crlf

            var bytes: [UInt8] { self == .lf ? [.lf] : [.cr, .lf] }
        }

        /// Characters of a line, from 1 on; nil when all stands in one line.
        var length: Int?
        var end: End

        /// Bytes of the text of `count` bytes.
        func textBytes(of count: Int64) -> Int64 {
            let characters = (count + 2) / 3 * 4
            guard let length, characters > 0 else { return characters }
            return characters + (characters - 1) / Int64(length) * Int64(end.bytes.count)
        }

        /// Which bytes of the content give a part of the text, and where the text of those bytes begins. Whole lines,
        /// as many as hold whole groups of characters, with the line end behind the last.
        func source(of text: Range<Int64>, contentBytes: Int64) -> (bytes: Range<Int64>, textStart: Int64) {
            // Without line ends every group of four characters is a line of its own.
            let characters = Int64(length ?? 4)
            let lines: Int64 = characters % 4 == 0 ? 1 : 4
            let periodBytes = lines * (characters + (length == nil ? 0 : Int64(end.bytes.count)))
            let sourceBytes = lines * characters / 4 * 3
            let first = text.lowerBound / periodBytes
            // One more: its beginning brings the line end before it.
            let last = text.upperBound / periodBytes + 2
            return (min(first * sourceBytes, contentBytes)..<min(last * sourceBytes, contentBytes), first * periodBytes)
        }
    }

    private static let chunkBytes = 12 << 10
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// The two characters of 12 bits; the first is the lower byte.
    private static let pairs: [UInt16] = (0..<4096).map { bits in
        UInt16(alphabet[bits >> 6]) | UInt16(alphabet[bits & 63]) << 8
    }

    private let lines: Lines
    private var column = 0
    /// Bytes that wait for the rest of their group of three.
    private var pending: [UInt8] = []
    /// Text of a chunk, without and with line ends.
    private var characters: [UInt8]
    private var text: [UInt8]

    init(_ lines: Lines) {
        self.lines = lines
        let count = Self.chunkBytes / 3 * 4
        characters = [UInt8](repeating: 0, count: count)
        let ends = lines.length.map { (count / $0 + 1) * lines.end.bytes.count } ?? 0
        text = [UInt8](repeating: 0, count: lines.length == nil ? 0 : count + ends)
    }

    /// Gives the text of the next bytes, as far as their groups are whole.
    mutating func encode(_ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        var rest = bytes[...]
        if !pending.isEmpty {
            let count = min(3 - pending.count, rest.count)
            pending += rest.prefix(count)
            rest = rest.dropFirst(count)
            guard pending.count == 3 else { return }
            let group = pending
            pending = []
            try group.withUnsafeBytes { try encodeGroups($0, consume) }
        }
        let whole = rest.count / 3 * 3
        pending = Array(rest.dropFirst(whole))
        rest = rest.prefix(whole)
        while !rest.isEmpty {
            let chunk = rest.prefix(Self.chunkBytes)
            try encodeGroups(UnsafeRawBufferPointer(rebasing: chunk), consume)
            rest = rest.dropFirst(chunk.count)
        }
    }

    /// Gives the text of the last group, which is filled up with `=`.
    mutating func finish(_ consume: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard !pending.isEmpty else { return }
        let missing = 3 - pending.count
        let group = pending + [UInt8](repeating: 0, count: missing)
        pending = []
        group.withUnsafeBytes { write(groups: $0) }
        for index in (4 - missing)..<4 { characters[index] = UInt8(ascii: "=") }
        try giveLines(4, consume)
    }

    private mutating func encodeGroups(
        _ bytes: UnsafeRawBufferPointer, _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        write(groups: bytes)
        try giveLines(bytes.count / 3 * 4, consume)
    }

    private mutating func write(groups bytes: UnsafeRawBufferPointer) {
        Self.pairs.withUnsafeBufferPointer { pairs in
            characters.withUnsafeMutableBytes { characters in
                var (index, character) = (0, 0)
                // Two groups of the eight bytes that are read.
                while index + 8 <= bytes.count {
                    let word = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    let four =
                        UInt64(pairs[Int(word >> 52)]) | UInt64(pairs[Int(word >> 40 & 4095)]) << 16
                        | UInt64(pairs[Int(word >> 28 & 4095)]) << 32 | UInt64(pairs[Int(word >> 16 & 4095)]) << 48
                    characters.storeBytes(of: four.littleEndian, toByteOffset: character, as: UInt64.self)
                    (index, character) = (index + 6, character + 8)
                }
                while index < bytes.count {
                    let group = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
                    characters.storeBytes(of: pairs[group >> 12].littleEndian, toByteOffset: character, as: UInt16.self)
                    characters.storeBytes(
                        of: pairs[group & 4095].littleEndian, toByteOffset: character + 2, as: UInt16.self)
                    (index, character) = (index + 3, character + 4)
                }
            }
        }
    }

    /// A line ends only when another character follows.
    private mutating func giveLines(_ count: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        guard let length = lines.length else {
            return try characters.withUnsafeBytes { try consume(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
        }
        var (column, position) = (column, 0)
        let end = lines.end
        characters.withUnsafeBytes { characters in
            text.withUnsafeMutableBytes { text in
                var start = 0
                while start < count {
                    if column == length {
                        if end == .crlf {
                            text[position] = .cr
                            position += 1
                        }
                        text[position] = .lf
                        (position, column) = (position + 1, 0)
                    }
                    let next = min(count, start + length - column)
                    UnsafeMutableRawBufferPointer(rebasing: text[position...]).copyMemory(
                        from: UnsafeRawBufferPointer(rebasing: characters[start..<next]))
                    position += next - start
                    column += next - start
                    start = next
                }
            }
        }
        self.column = column
        try text.withUnsafeBytes { try consume(UnsafeRawBufferPointer(rebasing: $0[..<position])) }
    }
}
