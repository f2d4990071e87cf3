import FundCore

/// A streaming base64 decoder (RFC 2045 §6.8) that loses nothing it can read: it skips what is outside the alphabet,
/// goes on after padding inside the stream (GMime 3.2.13 stops), and keeps what an unfinished last group says.
///
/// Behind padding or an empty line the data may be over, and a mail server's footer may follow. What follows is held
/// back until it proves to be base64; text that does not is left out.
struct Base64Decoder: StreamDecoder, Sendable {
    /// Number of characters of the alphabet in one line that are no word of a text.
    private static let certainLineCharacters = 40
    /// Number of characters of the alphabet, with only line ends between them, that are no text, however short the
    /// lines are. With something else between them as many are no data.
    private static let certainCharacters = 256

    private(set) var defects: Set<Defect> = []
    /// Up to three sextets of the group that is not full yet, the first in the highest bits.
    private var group: UInt32 = 0
    private var sextets = 0
    private var lineHasData = false
    /// Something was decoded in an earlier call.
    private var hasDecoded = false
    /// Nil while data are certain.
    private var doubt: Doubt?
    /// A text follows the data: nothing more is decoded.
    private var isOver = false

    /// State behind a place where the data may be over.
    private struct Doubt {
        /// Sextets that are not decoded yet.
        var held: [UInt8] = []
        var isAfterPadding: Bool
        var lineCharacters = 0
        /// A blank stands behind the last character of this line: nothing but the line end may follow.
        var hasBlank = false
        /// Something else than base64 stands behind an empty line; only a certain line shows that it was damage.
        var hasOther = false
        /// In this line.
        var lineHasOther = false
    }

    mutating func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        guard !isOver else { return }
        let start = output.count
        // At most three bytes for four characters, and one group that an earlier call began.
        let room = (input.count + (doubt?.held.count ?? 0)) / 4 * 3 + 6
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

    /// Appends what is held back and what an unfinished last group determines: one byte less than its characters.
    mutating func finish(into output: inout [UInt8]) {
        if let doubt, !doubt.held.isEmpty {
            // Without padding in front of it an unfinished group is a part of the data that was cut off.
            if !doubt.hasOther, doubt.held.count % 4 == 0 || !doubt.isAfterPadding {
                let start = output.count
                output.append(contentsOf: repeatElement(0, count: doubt.held.count / 4 * 3))
                output.withUnsafeMutableBufferPointer { out in _ = release(doubt, out, at: start) }
            } else {
                defects.insert(.base64TrailingText)
            }
        }
        doubt = nil
        guard sextets > 0 else { return }
        defects.insert(.base64Truncated)
        if sextets >= 2 { output.append(UInt8(truncatingIfNeeded: group >> (sextets == 2 ? 4 : 10))) }
        if sextets == 3 { output.append(UInt8(truncatingIfNeeded: group >> 2)) }
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
            if sextets == 0, doubt == nil {
                let begin = read
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
                guard read < count else {
                    if read > begin { lineHasData = true }
                    break
                }
                if read > begin {
                    lineHasData = true
                    // The end of an ordinary line.
                    let lineEnd = input[read] == .cr && read &+ 1 < count ? read &+ 1 : read
                    if input[lineEnd] == .lf {
                        lineHasData = false
                        read = lineEnd &+ 1
                        continue
                    }
                }
            }
            let (byte, kind) = (input[read], kinds[Int(input[read])])
            read &+= 1
            if doubt != nil {
                write &+= takeDoubtful(byte, kind, out, at: write)
                if isOver { break }
                continue
            }
            switch kind {
            case 0..<64: write &+= take(kind, out, at: write)
            case Base64Table.padding:
                write &+= pad(out, at: write)
                doubt = Doubt(isAfterPadding: true)
            case Base64Table.space:
                guard byte == .lf else { break }
                // An empty line behind whole groups.
                if !lineHasData, sextets == 0, write > start || hasDecoded { doubt = Doubt(isAfterPadding: false) }
                lineHasData = false
            default: defects.insert(.base64InvalidCharacters)
            }
        }
        if write > start { hasDecoded = true }
        return write &- start
    }

    private mutating func take(_ sextet: UInt8, _ out: UnsafeMutableBufferPointer<UInt8>, at write: Int) -> Int {
        lineHasData = true
        group = group << 6 | UInt32(sextet)
        sextets &+= 1
        guard sextets == 4 else { return 0 }
        out[write] = UInt8(truncatingIfNeeded: group >> 16)
        out[write &+ 1] = UInt8(truncatingIfNeeded: group >> 8)
        out[write &+ 2] = UInt8(truncatingIfNeeded: group)
        sextets = 0
        group = 0
        return 3
    }

    /// One character behind a place where the data may be over.
    private mutating func takeDoubtful(
        _ byte: UInt8, _ kind: UInt8, _ out: UnsafeMutableBufferPointer<UInt8>, at write: Int
    ) -> Int {
        guard var doubt else { return 0 }
        self.doubt = nil  // so that `held` is not copied
        var written = 0
        switch kind {
        // Words with blanks between them are a text.
        case 0..<64 where doubt.hasBlank: return endData()
        case 0..<64:
            doubt.held.append(kind)
            doubt.lineCharacters += 1
            if doubt.lineCharacters >= Self.certainLineCharacters && !doubt.lineHasOther {
                return release(doubt, out, at: write)
            }
            if doubt.held.count >= Self.certainCharacters {
                if doubt.hasOther { return endData() }
                return release(doubt, out, at: write)
            }
        case Base64Table.padding where doubt.held.isEmpty: break
        case Base64Table.padding where doubt.held.count % 4 != 1 && !doubt.hasOther:
            written = release(doubt, out, at: write)
            written += pad(out, at: write + written)
            doubt = Doubt(isAfterPadding: true)
        case Base64Table.space:
            if byte == .lf {
                (doubt.lineCharacters, doubt.hasBlank, doubt.lineHasOther) = (0, false, false)
            } else if byte != .cr, doubt.lineCharacters > 0 {
                doubt.hasBlank = true
            }
        default:
            if doubt.isAfterPadding { return endData() }
            (doubt.hasOther, doubt.lineHasOther) = (true, true)
        }
        self.doubt = doubt
        return written
    }

    private mutating func endData() -> Int {
        defects.insert(.base64TrailingText)
        isOver = true
        return 0
    }

    /// Decodes what was held back.
    private mutating func release(_ doubt: Doubt, _ out: UnsafeMutableBufferPointer<UInt8>, at write: Int) -> Int {
        if doubt.isAfterPadding { defects.insert(.base64StrayPadding) }
        if doubt.hasOther { defects.insert(.base64InvalidCharacters) }
        var written = 0
        for sextet in doubt.held { written += take(sextet, out, at: write + written) }
        return written
    }

    private mutating func pad(_ out: UnsafeMutableBufferPointer<UInt8>, at write: Int) -> Int {
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
        table[Int(UInt8.equals)] = padding
        for character: UInt8 in [.tab, .lf, .cr, .space] { table[Int(character)] = space }
        return table
    }()

    /// For each of the four places in a group the sextet already shifted to where it belongs.
    static let quads: [UInt32] = (0..<4).flatMap { place in
        kinds.map { $0 < 64 ? UInt32($0) << UInt32(18 - 6 * place) : invalidQuad }
    }
}
