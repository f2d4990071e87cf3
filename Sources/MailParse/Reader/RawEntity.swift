import FundCore

/// Finds where things stand in the raw bytes that GMime gives back only rewritten: the exact bytes of a nested message.
///
/// The scan before GMime sees the same lines, but only counts: where a broken message lets it and GMime disagree about
/// headers and boundaries, places that it kept would cut a nested message short, even to nothing.
struct RawEntity {
    let source: RawSource

    /// The position behind the empty line that ends the header which begins at `start`; nil when there is none.
    func bodyStart(headerAt start: Int64) throws(ReadError) -> Int64? {
        try firstLine(from: start) { line in line.isEmpty || (line.count == 1 && line.first == .cr) }?.upperBound
    }

    /// Where the entity that begins at `start` ends: before the line end that belongs to the next delimiter line of one
    /// of `boundaries` (RFC 2046 §5.1.1), or at the end of the message.
    func end(from start: Int64, boundaries: [[UInt8]]) throws(ReadError) -> Int64 {
        guard !boundaries.isEmpty else { return source.range.upperBound }
        let delimiter = try firstLine(from: start) { line in
            guard line.count > 2, line[line.startIndex] == .hyphen, line[line.startIndex + 1] == .hyphen else {
                return false
            }
            return boundaries.contains { boundary in
                guard line.dropFirst(2).starts(with: boundary) else { return false }
                var rest = line.dropFirst(2 + boundary.count)
                if rest.starts(with: [.hyphen, .hyphen]) { rest = rest.dropFirst(2) }
                return rest.allSatisfy { ASCII.isBlank($0) || $0 == .cr }
            }
        }
        guard let delimiter else { return source.range.upperBound }
        return try lineEndBefore(delimiter.lowerBound, notBefore: start)
    }

    private func lineEndBefore(_ position: Int64, notBefore start: Int64) throws(ReadError) -> Int64 {
        var tail: [UInt8] = []
        try source.chunks(max(start, position - 2)..<position) { (chunk) throws(ReadError) in
            tail.append(contentsOf: chunk)
        }
        if tail.last == .lf { return position - (tail.count == 2 && tail.first == .cr ? 2 : 1) }
        return position
    }

    /// The first line from `start` that fits, with its LF. Only the first 4 KiB of a line are looked at: neither an
    /// empty line nor a delimiter is longer (`ParseLimits.maxBoundaryBytes`).
    private func firstLine(
        from start: Int64, _ fits: (Slice<UnsafeRawBufferPointer>) -> Bool
    ) throws(ReadError) -> Range<Int64>? {
        var found: Range<Int64>?
        var held: [UInt8] = []
        var lineStart = start
        var position = start
        try source.scanChunks(start..<source.range.upperBound) { (chunk) throws(ReadError) in
            var rest = chunk[...]
            while let newline = rest.firstIndex(of: .lf) {
                let next = position + Int64(rest.distance(from: rest.startIndex, to: newline)) + 1
                let isFit: Bool
                if held.isEmpty {
                    isFit = fits(rest[..<newline].prefix(4096))
                } else {
                    held.append(contentsOf: rest[..<newline].prefix(4096))
                    isFit = held.withUnsafeBytes { fits($0.prefix(4096)) }
                    held.removeAll(keepingCapacity: true)
                }
                if isFit {
                    found = lineStart..<next
                    return false
                }
                (lineStart, position) = (next, next)
                rest = rest[(newline + 1)...]
            }
            if held.count < 4096 { held.append(contentsOf: rest.prefix(4096)) }
            position += Int64(rest.count)
            return true
        }
        if found == nil, !held.isEmpty, held.withUnsafeBytes({ fits($0.prefix(4096)) }) { found = lineStart..<position }
        return found
    }
}
