internal import FundCore

/// Finds the messages of an mbox file (RFC 4155) one after the other, in constant memory.
///
/// A message begins after an envelope line (`MboxEnvelope`) at the start of the file or after an empty line, when a
/// header field follows. Where the file's very first line is of no known form, those of its form count, too. Programs
/// that leave out the empty line are understood where address and date are there (`MboxGaps`).
final class MboxReader {
    private let path: String
    private var lines: MboxLines?
    private var failure: SourceError?
    private var firstLine = MboxEnvelope([])
    /// Where the first envelope line ends.
    private var firstStart: Int64 = 0
    /// See `MboxGaps`; nil until an envelope line without an empty line above it is met.
    private var areGapsUsual: Bool?
    private var messageNumber = 0
    /// Where the next message begins, nil after the last.
    private var start: Int64?

    init(path: String) {
        self.path = path
        do {
            let reader = try FileReader(path: path)
            let place = try MboxStart.find(in: reader) ?? 0
            let lines = MboxLines(reader: reader, from: place)
            self.lines = lines
            if let first = try lines.next() {
                firstLine = MboxEnvelope(first.prefix)
                start = first.end
                firstStart = first.end
            }
        } catch {
            failure = error
        }
    }

    func next() -> PendingMessage? {
        if failure == nil {
            do {
                guard let (range, mayHoldAnother) = try nextRange() else { return nil }
                messageNumber += 1
                let (path, start, end) = (path, range.lowerBound, range.upperBound)
                var message = PendingMessage(
                    reference: SourceReference(place: "\(path)#\(messageNumber)"), expectedBytes: end - start
                ) { spool in
                    try MboxMessage.spool(path: path, from: start, to: end, into: spool)
                }
                if mayHoldAnother { message.defect = .otherMessageInside }
                return message
            } catch {
                failure = error
            }
        }
        // Given once, as a message that cannot be read; messages before it stand.
        guard let told = failure else { return nil }
        (failure, start) = (nil, nil)
        return PendingMessage(reference: SourceReference(place: path)) { _ in throw told }
    }

    /// The bytes of the next message, without the empty line that the format puts after it.
    private func nextRange() throws(SourceError) -> (range: Range<Int64>, mayHoldAnother: Bool)? {
        guard let begin = start, let lines else { return nil }
        var emptyLineStart: Int64?
        var end = begin
        var mayHoldAnother = false
        while let line = try lines.next() {
            if line.prefix.starts(with: MboxEnvelope.mark) {
                let isFirst = emptyLineStart != nil || line.start == begin
                switch try verdict(on: line, isAfterGap: isFirst, next: try lines.peek()) {
                case .begins:
                    start = line.end
                    return (begin..<(emptyLineStart ?? line.start), mayHoldAnother)
                case .mayBegin: mayHoldAnother = true
                case .text: break
                }
            }
            emptyLineStart = line.isEmpty ? line.start : nil
            end = line.end
        }
        start = nil
        return (begin..<(emptyLineStart ?? end), mayHoldAnother)
    }

    private enum Verdict {
        case begins
        /// It is not certain: the line is read as text.
        case mayBegin
        case text
    }

    /// Whether a line that begins with `From ` begins a message.
    private func verdict(
        on line: MboxLines.Line, isAfterGap: Bool, next: MboxLines.Line?
    ) throws(SourceError) -> Verdict {
        let envelope = MboxEnvelope(line.prefix)
        let isCertain = envelope.isCertain
        let isEnvelope = envelope.hasDate || !firstLine.hasDate && envelope.isLike(firstLine)
        let field = MboxField(next?.prefix ?? [])
        if isAfterGap, isEnvelope {
            if field.isField || field.isEnvelope { return .begins }
            // An empty message, or one with empty lines above its header.
            guard isCertain else { return .text }
            return next?.isEmpty ?? true ? .begins : .mayBegin
        }
        guard field.isCommon else { return isCertain && field.isField ? .mayBegin : .text }
        if isCertain { return try usesGaps() ? .mayBegin : .begins }
        return isEnvelope || envelope.hasAddress ? .mayBegin : .text
    }

    private func usesGaps() throws(SourceError) -> Bool {
        if let known = areGapsUsual { return known }
        let areUsual = try MboxGaps.areUsual(in: path, from: firstStart)
        areGapsUsual = areUsual
        return areUsual
    }
}

/// One message of an mbox file, written into the spool as it was before the mailbox program quoted it.
enum MboxMessage {
    private static let chunkBytes = 256 * 1024

    static func spool(
        path: String, from start: Int64, to end: Int64, into spool: SpoolDirectory
    ) throws -> SpooledMessage {
        let reader = try FileReader(path: path)
        var writer = spool.makeWriter(expecting: end - start)
        var unquoting = FromUnquoting()
        var position = start
        while position < end {
            let chunk = try reader.read(upTo: Int(min(Int64(chunkBytes), end - position)), at: position)
            guard !chunk.isEmpty else { throw SourceError(path: path, problem: "became shorter while it was read") }
            position += Int64(chunk.count)
            let plain = unquoting.update(chunk)
            try plain.withUnsafeBytes { try writer.append($0) }
        }
        let rest = unquoting.finish()
        try rest.withUnsafeBytes { try writer.append($0) }
        return writer.finish()
    }
}

/// Takes one `>` off lines of the form `>…>From `: the quoting of mboxrd, and that of mboxo, which quotes once.
struct FromUnquoting {
    private static let from = Array("From ".utf8)
    /// A line with more `>` is not a quotation.
    private static let maxQuotes = 1000

    private var isAtLineStart = true
    /// The beginning of a line that may turn out to be quoted, since the chunk ended in it.
    private var held: [UInt8] = []

    mutating func update(_ chunk: [UInt8]) -> [UInt8] {
        let bytes = held.isEmpty ? chunk : held + chunk
        held = []
        var plain: [UInt8] = []
        plain.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if isAtLineStart, bytes[index] == .greaterThan {
                switch quotation(bytes[index...]) {
                case nil:
                    held = Array(bytes[index...])
                    return plain
                case true?: index += 1
                case false?: break
                }
            }
            let newline = bytes[index...].firstIndex(of: .lf)
            let stop = newline.map { $0 + 1 } ?? bytes.count
            plain += bytes[index..<stop]
            isAtLineStart = newline != nil
            index = stop
        }
        return plain
    }

    mutating func finish() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// Nil when more bytes are needed to tell.
    private func quotation(_ line: ArraySlice<UInt8>) -> Bool? {
        let text = line.drop { $0 == .greaterThan }
        if line.count - text.count > Self.maxQuotes { return false }
        if text.count < Self.from.count { return Self.from.starts(with: text) ? nil : false }
        return text.starts(with: Self.from)
    }
}
