import Ingest

/// A streaming base64 decoder (RFC 2045 §6.8) that loses nothing it can read: it skips what is outside the alphabet,
/// goes on after padding in the middle of the stream (GMime 3.2.13 stops there), and keeps a last group that only lacks
/// its padding.
struct Base64Decoder: Sendable {
    private(set) var defects: Set<Defect> = []
    /// Up to three sextets of the group that is not full yet, the first in the highest bits.
    private var group: UInt32 = 0
    private var sextets = 0
    private var isPastPadding = false

    init() {}

    /// Appends what `input` decodes to.
    mutating func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        let start = output.count
        // At most three bytes for four characters, and one group that an earlier call began.
        let room = input.count / 4 * 3 + 6
        output.append(contentsOf: repeatElement(0, count: room))
        var written = start
        output.withUnsafeMutableBufferPointer { out in
            Base64Table.quads.withUnsafeBufferPointer { quads in
                Base64Table.kinds.withUnsafeBufferPointer { kinds in
                    written += decode(input, out: out, from: start, quads: quads, kinds: kinds)
                }
            }
        }
        output.removeLast(output.count - written)
    }

    /// Appends what an unfinished last group holds, if it is whole bytes: an encoder that leaves out the padding ends with zero
    /// bits (RFC 4648 §3.5). Other bits are the beginning of a byte whose rest was cut off.
    mutating func finish(into output: inout [UInt8]) {
        guard sextets > 0 else { return }
        defects.insert(.base64Truncated)
        let spareBits: UInt32 = sextets == 2 ? 0b1111 : 0b11
        if sextets >= 2, group & spareBits == 0 {
            output.append(UInt8(truncatingIfNeeded: group >> (sextets == 2 ? 4 : 10)))
            if sextets == 3 { output.append(UInt8(truncatingIfNeeded: group >> 2)) }
        }
        sextets = 0
        group = 0
    }

    private mutating func decode(
        _ input: UnsafeRawBufferPointer, out: UnsafeMutableBufferPointer<UInt8>, from start: Int,
        quads: UnsafeBufferPointer<UInt32>, kinds: UnsafeBufferPointer<UInt8>
    ) -> Int {
        var (read, write) = (0, start)
        let count = input.count
        while read < count {
            if sextets == 0, !isPastPadding {
                while read &+ 4 <= count {
                    let value =
                        quads[Int(input[read])] | quads[256 &+ Int(input[read &+ 1])]
                        | quads[512 &+ Int(input[read &+ 2])] | quads[768 &+ Int(input[read &+ 3])]
                    guard value < Base64Table.invalidQuad else { break }
                    out[write] = UInt8(truncatingIfNeeded: value >> 16)
                    out[write &+ 1] = UInt8(truncatingIfNeeded: value >> 8)
                    out[write &+ 2] = UInt8(truncatingIfNeeded: value)
                    read &+= 4
                    write &+= 3
                }
                guard read < count else { break }
            }
            let kind = kinds[Int(input[read])]
            read &+= 1
            switch kind {
            case 0..<64:
                if isPastPadding {
                    defects.insert(.base64StrayPadding)
                    isPastPadding = false
                }
                group = group << 6 | UInt32(kind)
                sextets &+= 1
                if sextets == 4 {
                    out[write] = UInt8(truncatingIfNeeded: group >> 16)
                    out[write &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
                    out[write &+ 2] = UInt8(truncatingIfNeeded: group)
                    write &+= 3
                    sextets = 0
                    group = 0
                }
            case Base64Table.padding: write &+= pad(out, at: write)
            case Base64Table.space: break
            default: defects.insert(.base64InvalidCharacters)
            }
        }
        return write &- start
    }

    private mutating func pad(_ out: UnsafeMutableBufferPointer<UInt8>, at write: Int) -> Int {
        isPastPadding = true
        defer {
            sextets = 0
            group = 0
        }
        switch sextets {
        case 2:
            out[write] = UInt8(truncatingIfNeeded: group >> 4)
            return 1
        case 3:
            out[write] = UInt8(truncatingIfNeeded: group >> 10)
            out[write &+ 1] = UInt8(truncatingIfNeeded: group >> 2)
            return 2
        case 1:
            defects.insert(.base64Truncated)
            return 0
        default: return 0
        }
    }
}

private enum Base64Table {
    static let padding: UInt8 = 64
    static let space: UInt8 = 65
    static let other: UInt8 = 66
    static let invalidQuad: UInt32 = 1 << 24

    static let kinds: [UInt8] = {
        var table = [UInt8](repeating: other, count: 256)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        for (value, character) in alphabet.enumerated() { table[Int(character)] = UInt8(value) }
        table[Int(UInt8(ascii: "="))] = padding
        for character in [9, 10, 13, 32] { table[character] = space }
        return table
    }()

    /// For each of the four places in a group the sextet already shifted to where it belongs.
    static let quads: [UInt32] = (0..<4).flatMap { place in
        kinds.map { $0 < 64 ? UInt32($0) << UInt32(18 - 6 * place) : invalidQuad }
    }
}
