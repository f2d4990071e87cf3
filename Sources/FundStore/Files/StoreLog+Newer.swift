import FundCore

extension StoreLog {
    /// What the log has of a later state of the store than the rows, as one number that is another one for other
    /// segments or more bytes; nil where the rows know all that was committed. What cannot be read is passed over.
    func newerThanRows() throws -> Int64? {
        // First the files: a segment gets its row before its file.
        let numbers = try directory.segments()
        let (ends, last) = try connection.read("read the segments") { db in
            let rows: [(SegmentNumber, Int64)] = try db.rows("SELECT number, end_offset FROM segment") {
                ($0[0], $0[1])
            }
            let last: SegmentNumber? = try db.value("SELECT seq FROM sqlite_sequence WHERE name = 'segment'")
            return (Dictionary(rows) { first, _ in first }, last)
        }
        var newer: Int64?
        for number in numbers {
            var committed: Int64?
            if let end = ends[number] {
                committed = try? committedEnd(of: number, behind: end)
            } else if last.map({ $0 < number }) ?? true {
                // Numbers are never given twice: the rows never knew it.
                committed = StoreLayout.size(of: directory.path(of: number))
            }
            guard let committed else { continue }
            newer = (newer ?? 1) &* 1_000_003 &+ Int64(number.value) &* 31 &+ committed
        }
        return newer
    }

    /// Nil where the rows know all that was committed to a segment.
    private func committedEnd(of number: SegmentNumber, behind end: Int64) throws -> Int64? {
        guard let size = StoreLayout.size(of: directory.path(of: number)), size > end else { return nil }
        let committed = try SegmentFile.read(number, in: directory).committedEnd(behind: end)
        guard committed > end else { return nil }
        // Another process may have committed it since the rows were read.
        let now: Int64? = try connection.read("look at a segment again") { db in
            try db.value("SELECT end_offset FROM segment WHERE number = ?", [number])
        }
        return committed > now ?? .max ? committed : nil
    }
}
