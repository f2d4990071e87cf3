internal import FundCore

/// Finds the messages of an mbox file (RFC 4155) one after the other, in constant memory.
///
/// A message begins after a line that begins with `From ` at the start of the file or after an empty line. Such a line
/// must hold a time of day, as every mailbox program writes it, unless the file's very first line has none either: so a
/// paragraph that begins with "From " does not cut a message in two.
final class MboxReader {
    private let path: String
    private var lines: MboxLines?
    private var failure: SourceError?
    private var isStrict = true
    private var messageNumber = 0
    /// Where the next message begins, nil after the last.
    private var start: Int64?

    init(path: String) {
        self.path = path
        do {
            let lines = MboxLines(reader: try FileReader(path: path))
            self.lines = lines
            if let first = try lines.next() {
                isStrict = Self.hasTimeOfDay(first.prefix)
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
        prefix.starts(with: "From ".utf8) && (!isStrict || Self.hasTimeOfDay(prefix))
    }

    /// `hh:mm` somewhere in the line.
    private static func hasTimeOfDay(_ line: [UInt8]) -> Bool {
        return line.indices.dropFirst(2).dropLast(2).contains { index in
            line[index] == .colon && [-2, -1, 1, 2].allSatisfy { ASCII.isDigit(line[index + $0]) }
        }
    }
}
