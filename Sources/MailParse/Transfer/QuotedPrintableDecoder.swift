import FundCore
internal import Glibc

/// A streaming quoted-printable decoder (RFC 2045 §6.7). White space behind the `=` of a soft line break was added on
/// the way and goes (rule 3); GMime 3.2.13 leaves it. A `=` that encodes nothing stays as it came.
struct QuotedPrintableDecoder: StreamDecoder, Sendable {
    /// A run of blanks behind `=` that is longer is no padding of a line, which has 76 characters.
    private static let maxPaddingBytes = 998

    /// A `=` and what follows it, until it is known what it means.
    private var escape: [UInt8] = []

    mutating func decode(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) {
        guard let base = input.baseAddress else { return }
        var index = 0
        while index < input.count {
            if escape.isEmpty {
                let found = memchr(base + index, Int32(UInt8.equals), input.count - index)
                let end = found.map { UnsafeRawPointer($0) - base } ?? input.count
                output.append(contentsOf: UnsafeRawBufferPointer(rebasing: input[index..<end]))
                guard end < input.count else { return }
                index = end + 1
                // What stands there nearly always, at once: a whole code, or a line break.
                if index + 1 < input.count {
                    let (first, second) = (input[index], input[index + 1])
                    if let high = ASCII.hexValue(first), let low = ASCII.hexValue(second) {
                        output.append(high << 4 | low)
                        index += 2
                        continue
                    }
                    if first == .lf {
                        index += 1
                        continue
                    }
                    if first == .cr, second == .lf {
                        index += 2
                        continue
                    }
                }
                escape.append(.equals)
            } else if takeEscaped(input[index], into: &output) {
                index += 1
            }
        }
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
