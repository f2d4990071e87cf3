internal import FundCore

/// The lines of an mbox file with their places, in constant memory however long a line is.
final class MboxLines {
    struct Line {
        var start: Int64
        /// After the line end.
        var end: Int64
        var isEmpty: Bool
        /// The beginning of a line that begins with `F`, or that was looked at ahead; otherwise empty.
        var prefix: [UInt8]
    }

    private static let chunkBytes = 256 * 1024
    /// An envelope line is an address and a date.
    private static let maxPrefixBytes = 512

    private let reader: FileReader
    private var chunk: [UInt8] = []
    private var chunkStart: Int64
    private var index = 0
    /// The line that was looked at ahead.
    private var ahead: Line?

    init(reader: consuming FileReader, from start: Int64) {
        self.reader = reader
        chunkStart = start
    }

    func next() throws(SourceError) -> Line? {
        if let line = ahead {
            ahead = nil
            return line
        }
        return try read(keepsPrefix: false)
    }

    /// The line that `next` will give.
    func peek() throws(SourceError) -> Line? {
        if ahead == nil { ahead = try read(keepsPrefix: true) }
        return ahead
    }

    private func read(keepsPrefix: Bool) throws(SourceError) -> Line? {
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
            note(chunk[index..<stop], in: &line, keepsPrefix)
            index = newline.map { $0 + 1 } ?? stop
            if newline != nil {
                line.end = chunkStart + Int64(index)
                return line
            }
        }
    }

    private func note(_ piece: ArraySlice<UInt8>, in line: inout Line, _ keepsPrefix: Bool) {
        guard let first = piece.first else { return }
        if line.isEmpty, piece.count > 1 || first != .cr { line.isEmpty = false }
        let isFirst = chunkStart + Int64(piece.startIndex) == line.start
        if !line.prefix.isEmpty || isFirst && (keepsPrefix || first == UInt8(ascii: "F")) {
            line.prefix += piece.prefix(Self.maxPrefixBytes - line.prefix.count)
        }
    }
}

/// The place of the first envelope line of an mbox file, which may have a byte order mark or empty lines above it.
enum MboxStart {
    private static let chunkBytes = 4096
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Finds the first envelope line of a file; nil where something else stands first.
    static func find(in reader: borrowing FileReader) throws(SourceError) -> Int64? {
        let head = try reader.read(upTo: byteOrderMark.count, at: 0)
        var offset = head == byteOrderMark ? Int64(head.count) : 0
        while true {
            let chunk = try reader.read(upTo: chunkBytes, at: offset)
            guard let first = chunk.firstIndex(where: { $0 != .lf && $0 != .cr }) else {
                guard !chunk.isEmpty else { return nil }
                offset += Int64(chunk.count)
                continue
            }
            let start = offset + Int64(first)
            return try reader.read(upTo: MboxEnvelope.mark.count, at: start) == MboxEnvelope.mark ? start : nil
        }
    }
}
