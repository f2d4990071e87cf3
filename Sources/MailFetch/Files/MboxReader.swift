internal import FundCore

/// Finds the messages of an mbox file (RFC 4155) one after the other, in constant memory.
///
/// A message begins after an envelope line (`MboxEnvelope`) at the start of the file or after an empty line. Where the
/// file's very first line is of no known form, those of its form count, too.
final class MboxReader {
    private let path: String
    private var lines: MboxLines?
    private var failure: SourceError?
    private var firstLine = MboxEnvelope([])
    private var messageNumber = 0
    /// Where the next message begins, nil after the last.
    private var start: Int64?

    init(path: String) {
        self.path = path
        do {
            let lines = MboxLines(reader: try FileReader(path: path))
            self.lines = lines
            if let first = try lines.next() {
                firstLine = MboxEnvelope(first.prefix)
                start = first.end
            }
        } catch {
            failure = error
        }
    }

    func next() -> PendingMessage? {
        if failure == nil {
            do {
                guard let range = try nextRange() else { return nil }
                messageNumber += 1
                let (path, start, end) = (path, range.lowerBound, range.upperBound)
                return PendingMessage(
                    reference: SourceReference(place: "\(path)#\(messageNumber)"), expectedBytes: end - start
                ) { spool in
                    try MboxMessage.spool(path: path, from: start, to: end, into: spool)
                }
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
    private func nextRange() throws(SourceError) -> Range<Int64>? {
        guard let begin = start, let lines else { return nil }
        var emptyLineStart: Int64?
        var end = begin
        while let line = try lines.next() {
            if let separator = emptyLineStart ?? (line.start == begin ? begin : nil), isFromLine(line.prefix) {
                start = line.end
                return begin..<max(begin, separator)
            }
            emptyLineStart = line.isEmpty ? line.start : nil
            end = line.end
        }
        start = nil
        return begin..<(emptyLineStart ?? end)
    }

    private func isFromLine(_ prefix: [UInt8]) -> Bool {
        guard prefix.starts(with: MboxEnvelope.mark) else { return false }
        let line = MboxEnvelope(prefix)
        return line.hasDate || !firstLine.hasDate && line.isLike(firstLine)
    }
}

/// The lines of a file with their places, in constant memory however long a line is.
final class MboxLines {
    struct Line {
        var start: Int64
        /// After the line end.
        var end: Int64
        var isEmpty: Bool
        /// The beginning of a line that begins with `F`; otherwise empty, since only `From ` lines are looked at.
        var prefix: [UInt8]
    }

    private static let chunkBytes = 256 * 1024
    /// An envelope line is an address and a date.
    private static let maxPrefixBytes = 512

    private let reader: FileReader
    private var chunk: [UInt8] = []
    private var chunkStart: Int64 = 0
    private var index = 0

    init(reader: consuming FileReader) { self.reader = reader }

    func next() throws(SourceError) -> Line? {
        var line = Line(start: chunkStart + Int64(index), end: 0, isEmpty: true, prefix: [])
        while true {
            if index == chunk.count {
                chunkStart += Int64(chunk.count)
                chunk = try reader.read(upTo: Self.chunkBytes, at: chunkStart)
                index = 0
                if chunk.isEmpty {
                    line.end = chunkStart
                    return line.end > line.start ? line : nil
                }
            }
            let newline = chunk[index...].firstIndex(of: .lf)
            let stop = newline ?? chunk.count
            note(chunk[index..<stop], in: &line)
            index = newline.map { $0 + 1 } ?? stop
            if newline != nil {
                line.end = chunkStart + Int64(index)
                return line
            }
        }
    }

    private func note(_ piece: ArraySlice<UInt8>, in line: inout Line) {
        guard let first = piece.first else { return }
        if line.isEmpty, piece.count > 1 || first != .cr { line.isEmpty = false }
        if !line.prefix.isEmpty || (first == UInt8(ascii: "F") && chunkStart + Int64(piece.startIndex) == line.start) {
            line.prefix += piece.prefix(Self.maxPrefixBytes - line.prefix.count)
        }
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
