import FundCore
internal import Glibc

/// A streaming quoted-printable decoder (RFC 2045 §6.7). White space behind the `=` of a soft line break was added on
/// the way and goes (rule 3); GMime 3.2.13 leaves it. A `=` that encodes nothing stays as it came. A line end is CRLF
/// (rule 4), also where the message comes from a file that holds LF.
struct QuotedPrintableDecoder: StreamDecoder, Sendable {
    /// A run of blanks behind `=` that is longer is no padding of a line, which has 76 characters.
    private static let maxPaddingBytes = 998

    /// A `=` and what follows it, until it is known what it means.
    private var escape: [UInt8] = []
    /// Whether the last byte stood in the text as it is, and was a CR.
    private var endsInCR = false

    mutating func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        guard let base = input.baseAddress else { return }
        var index = 0
        while index < input.count {
            if escape.isEmpty {
                let found = memchr(base + index, Int32(UInt8.equals), input.count - index)
                let end = found.map { UnsafeRawPointer($0) - base } ?? input.count
                appendText(UnsafeRawBufferPointer(rebasing: input[index..<end]), to: &output)
                guard end < input.count else { return }
                index = end + 1
                endsInCR = false
                // Where the chunk has all of it, at once.
                if let escape = Self.meaning(of: input[index...]) {
                    if escape.isLiteral { output.append(.equals) }
                    if let byte = escape.byte { output.append(byte) }
                    index += escape.length
                    continue
                }
                escape.append(.equals)
            } else if takeEscaped(input[index], into: &output) {
                index += 1
            }
        }
    }

    /// Appends what stands for itself, with CRLF at the end of each line.
    private mutating func appendText(_ text: UnsafeRawBufferPointer, to output: inout [UInt8]) {
        guard let base = text.baseAddress, let last = text.last else { return }
        var (copied, searched) = (0, 0)
        while let found = memchr(base + searched, Int32(UInt8.lf), text.count - searched) {
            let place = UnsafeRawPointer(found) - base
            if place > 0 ? text[place - 1] != .cr : !endsInCR {
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied..<place]))
                output.append(.cr)
                copied = place
            }
            searched = place + 1
        }
        output.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[copied...]))
        endsInCR = last == .cr
    }

    /// Meaning of a `=`, and the number of bytes behind it that belong to it.
    private struct Escape {
        /// It stays as it came.
        var isLiteral = false
        /// Byte of a whole code; nil for a soft line break.
        var byte: UInt8?
        var length = 0
    }

    /// Reads the meaning that `takeEscaped` finds byte by byte. Nil where the bytes end before it is known.
    /// - Parameter rest: what stands behind the `=`.
    private static func meaning(of rest: Slice<UnsafeRawBufferPointer>) -> Escape? {
        guard rest.count >= 2 else { return nil }
        let start = rest.startIndex
        if let high = ASCII.hexValue(rest[start]) {
            guard let low = ASCII.hexValue(rest[start + 1]) else { return Escape(isLiteral: true) }
            return Escape(byte: high << 4 | low, length: 2)
        }
        var end = start
        while end < rest.endIndex, end - start < maxPaddingBytes, ASCII.isBlank(rest[end]) { end += 1 }
        if end < rest.endIndex, end - start < maxPaddingBytes, rest[end] == .cr { end += 1 }
        guard end < rest.endIndex else { return nil }
        return rest[end] == .lf ? Escape(length: end + 1 - start) : Escape(isLiteral: true)
    }

    /// Appends what is held back: half a code stays as it came, a soft line break without its line end is one.
    mutating func finish(into output: inout [UInt8]) {
        if escape.contains(where: { ASCII.hexValue($0) != nil }) { output.append(contentsOf: escape) }
        escape = []
    }

    /// False: the byte does not belong to what the `=` began, and is read again.
    private mutating func takeEscaped(_ byte: UInt8, into output: inout [UInt8]) -> Bool {
        if byte == .lf, escape.count == 1 || !isHalfCode {
            escape.removeAll(keepingCapacity: true)
            return true
        }
        if let digit = ASCII.hexValue(byte) {
            if escape.count == 1 {
                escape.append(byte)
                return true
            }
            if isHalfCode, let high = ASCII.hexValue(escape[1]) {
                output.append(high << 4 | digit)
                escape.removeAll(keepingCapacity: true)
                return true
            }
        } else if ASCII.isBlank(byte) || byte == .cr, !isHalfCode,
            escape.last != .cr, escape.count <= Self.maxPaddingBytes
        {
            escape.append(byte)
            return true
        }
        output.append(contentsOf: escape)
        escape.removeAll(keepingCapacity: true)
        return false
    }

    private var isHalfCode: Bool { escape.count == 2 && ASCII.hexValue(escape[1]) != nil }
}
