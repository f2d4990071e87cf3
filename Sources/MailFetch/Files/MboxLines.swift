internal import FundCore

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
