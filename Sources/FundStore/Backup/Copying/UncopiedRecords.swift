import FundCore

/// Finds what a log has and its database does not know: it comes into no backup before it has rows.
struct UncopiedRecords {
    let log: StoreLog

    /// Findings, one sentence each; one for all segments without rows.
    func found() throws -> [String] {
        // A segment has its row before its file.
        let files = try log.segments.segments()
        let (known, ahead) = try log.connection.read("look for what the log has ahead") { db in
            (
                Set(try db.values("SELECT number FROM segment") as [SegmentNumber]),
                try db.values("SELECT number FROM segment WHERE is_ahead = 1 ORDER BY number") as [SegmentNumber]
            )
        }
        var sentences = ahead.map {
            "\($0.fileName) has records that the database does not know, which is older; they are not copied"
        }
        let unknown = try files.filter { try !known.contains($0) && hasRecords($0) }
        if !unknown.isEmpty {
            let names = unknown.map(\.fileName).joined(separator: ", ")
            sentences.append(
                "\(names), of which the database knows nothing: it is older than the log, or empty; `fundmail verify "
                    + "--repair` files what is in the log, and the next backup has it")
        }
        return sentences
    }

    /// Whether a segment has records that are not given up: a segment that was rewritten can lose its row before its
    /// file.
    private func hasRecords(_ number: SegmentNumber) throws -> Bool {
        do { return try log.segments.read(number).hasLiveRecords() } catch is LogDamage {
            return false  // one that cannot be read has no record to be told
        }
    }
}
