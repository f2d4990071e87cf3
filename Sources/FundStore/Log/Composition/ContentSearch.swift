import CLinux
internal import Glibc
import FundCore

/// Finds where a message repeats a content, as it is or in base64 (RFC 2045 §6.8). It asks no parser: what it finds was
/// compared byte by byte.
struct ContentSearch {
    struct Match {
        /// In the message.
        var range: Range<Int>
        var piece: MessageComposition.Piece
    }

    /// Bytes of a content's beginning that are searched for: a multiple of three, so that their base64 has no padding.
    /// Base64 in lines of fewer than 32 characters is therefore not found.
    private static let needleBytes = 24
    /// Upper bound for the bytes that are searched and compared, in multiples of the message's size: a message with a
    /// thousand parts that it does not contain is not searched a thousand times.
    private static let maxPasses = 16
    /// Bytes of the first comparison; each further one takes twice as many.
    private static let firstStepBytes = 768

    private let message: UnsafeRawBufferPointer
    /// Called when `MappedBytes.stepBytes` were looked at.
    private let release: () -> Void
    /// Bytes that may still be looked at.
    private var budget: Int

    init(in message: UnsafeRawBufferPointer, release: @escaping () -> Void = {}) {
        self.message = message
        self.release = release
        budget = message.count * Self.maxPasses
    }

    /// The first match at or after `start`; nil when there is none or the budget is used up. The content has at least
    /// `needleBytes`.
    mutating func find(_ content: MessageComposition.Content, from start: Int) -> Match? {
        let beginning = Array(content.bytes.prefix(Self.needleBytes))
        let search = self
        return first(Array(Base64.text(beginning).utf8), from: start) { search.base64(content, at: $0, &$1) }
            ?? first(beginning, from: start) { search.plain(content, at: $0, &$1) }
    }

    /// Nil as well when the budget is used up.
    ///
    /// - Parameter match: at a place; it adds to its second argument how many bytes it looked at.
    private mutating func first(_ needle: [UInt8], from start: Int, _ match: (Int, inout Int) -> Match?) -> Match? {
        guard let base = message.baseAddress else { return nil }
        var position = start
        while position < message.count, budget > 0 {
            let window = min(message.count - position, MappedBytes.stepBytes)
            guard let found = memmem(base + position, window, needle, needle.count) else {
                budget -= window
                if position + window == message.count { return nil }
                position += window - needle.count + 1
                release()
                continue
            }
            let place = UnsafeRawPointer(found) - base
            budget -= place - position + needle.count
            position = place + 1
            // A body begins a line.
            guard place == 0 || message[place - 1] == .lf else { continue }
            var compared = 0
            if let match = match(place, &compared) { return match }
            budget -= compared
        }
        return nil
    }

    private func plain(_ content: MessageComposition.Content, at start: Int, _ compared: inout Int) -> Match? {
        let range = start..<(start + content.bytes.count)
        guard range.upperBound <= message.count else { return nil }
        for step in Self.steps(of: content.bytes) {
            compared += step.count
            guard isEqual(step, at: start + (step.startIndex - content.bytes.startIndex)) else { return nil }
            if step.count == MappedBytes.stepBytes { release() }
        }
        return Match(range: range, piece: .content(content.digest, bytes: Int64(content.bytes.count)))
    }

    /// In lines as long as the first.
    private func base64(_ content: MessageComposition.Content, at start: Int, _ compared: inout Int) -> Match? {
        let rest = UnsafeRawBufferPointer(rebasing: message[start...])
        guard let lines = Self.lines(of: rest, characters: (content.bytes.count + 2) / 3 * 4) else { return nil }
        let range = start..<(start + Int(lines.textBytes(of: Int64(content.bytes.count))))
        guard range.upperBound <= message.count else { return nil }
        var encoder = Base64LineEncoder(lines)
        var position = start
        func compare(_ text: UnsafeRawBufferPointer) throws {
            compared += text.count
            guard isEqual(text[...], at: position) else { throw MismatchError() }
            position += text.count
        }
        do {
            for step in Self.steps(of: content.bytes) {
                try encoder.encode(UnsafeRawBufferPointer(rebasing: step), compare)
                if step.count == MappedBytes.stepBytes { release() }
            }
            try encoder.finish(compare)
        } catch { return nil }
        return Match(range: range, piece: .base64(content.digest, lines, bytes: Int64(range.count)))
    }

    private struct MismatchError: Error {}

    /// All of the bytes, little at first: most that begin alike differ soon. The last steps of a long content have
    /// `MappedBytes.stepBytes`.
    private static func steps(of bytes: UnsafeRawBufferPointer) -> [Slice<UnsafeRawBufferPointer>] {
        var (steps, start, count): ([Slice<UnsafeRawBufferPointer>], Int, Int) = ([], 0, firstStepBytes)
        while start < bytes.count {
            let end = min(bytes.count, start + count)
            steps.append(bytes[start..<end])
            (start, count) = (end, min(count * 2, MappedBytes.stepBytes))
        }
        return steps
    }

    private func isEqual(_ bytes: Slice<UnsafeRawBufferPointer>, at start: Int) -> Bool {
        let bytes = UnsafeRawBufferPointer(rebasing: bytes)
        guard start + bytes.count <= message.count else { return false }
        guard let first = message.baseAddress, let second = bytes.baseAddress else { return bytes.isEmpty }
        return memcmp(first + start, second, bytes.count) == 0
    }

    /// Line length and line end of base64 that begins there, by the count of its characters.
    private static func lines(of text: UnsafeRawBufferPointer, characters: Int) -> Base64LineEncoder.Lines? {
        guard let first = text.prefix(characters).firstIndex(where: { $0 == .lf || $0 == .cr }) else {
            return .init(length: nil, end: .lf)
        }
        guard first > 0 else { return nil }
        if text[first] == .lf { return .init(length: first, end: .lf) }
        guard first + 1 < text.count, text[first + 1] == .lf else { return nil }
        return .init(length: first, end: .crlf)
    }
}
