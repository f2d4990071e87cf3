import FundCore

/// Reads each record that the rows of a backup or of a restored store need, and compares its blocks with their
/// checksums.
struct NeededRecords {
    private struct Count {
        var all = 0
        var damaged = 0
    }

    let layout: StoreLayout

    /// Segments with damaged records, one sentence each.
    func damages() throws -> [String] {
        let reader = LogReader(directory: LogDirectory(path: layout.log, temporary: layout.temporary))
        var counts: [SegmentNumber: Count] = [:]
        for (digest, location) in try rows() {
            counts[location.segment, default: Count()].all += 1
            do { try reader.record(at: location, of: digest).verifyBlocks() } catch is LogDamage {
                counts[location.segment, default: Count()].damaged += 1
            }
        }
        return counts.filter { $0.value.damaged > 0 }.sorted { $0.key < $1.key }.map { number, count in
            "\(number.fileName): \(count.damaged) of \(count.all) records are damaged or missing"
        }
    }

    private func rows() throws -> [(digest: ContentDigest, location: RecordLocation)] {
        try ConnectionPool.read(layout.database) { db in
            var found: [(digest: ContentDigest, location: RecordLocation)] = []
            for table in ["message", "blob"] {
                let sql = "SELECT digest, \(RecordLocation.columns) FROM \(table) WHERE segment IS NOT NULL"
                for row in try db.rows(sql + " ORDER BY segment, record_offset") {
                    guard let location = RecordLocation(row, at: 1) else { continue }
                    found.append((try row.digest(0), location))
                }
            }
            return found
        }
    }
}
