import FundCore

/// Looks at each record that the rows of a backup or of a restored store need.
struct NeededRecords {
    /// Part of a record that is read.
    enum Depth {
        case header
        /// The whole record; its blocks are compared with their checksums.
        case blocks
    }

    private struct Count {
        var all = 0
        var damages: [LogDamage] = []
    }

    /// Limit of damaged records of a segment of which the place is told.
    private static let maxNames = 3

    let location: StoreLocation

    /// Segments with damaged records, one sentence each.
    ///
    /// - Parameter depth: nil for a record that is known to be whole.
    func damages(_ depth: (RecordLocation) -> Depth? = { _ in .blocks }) throws -> [String] {
        let reader = LogReader(LogDirectory(of: location))
        var counts: [SegmentNumber: Count] = [:]
        var toBeRead: [(digest: ContentDigest, location: RecordLocation)] = []
        func check(_ location: RecordLocation, _ body: () throws -> Void) throws {
            do { try body() } catch let damage as LogDamage { counts[location.segment]?.damages.append(damage) }
        }
        // Headers in the order of the rows, which is about that in which they stand.
        try DatabaseFile.read(location.database) { db in
            for kind in RecordHeader.Kind.ofRows {
                try RecordRow.forEach(kind, db) { row in
                    guard let location = row.location else { return }
                    counts[location.segment, default: Count()].all += 1
                    switch depth(location) {
                    case nil: break
                    case .header: try check(location) { try reader.checkHead(at: location, of: row.digest) }
                    case .blocks: toBeRead.append((row.digest, location))
                    }
                }
            }
        }
        for (digest, location) in toBeRead.sorted(by: { $0.location.order < $1.location.order }) {
            try check(location) {
                try reader.checkHead(at: location, of: digest)
                try reader.record(at: location, of: digest).verifyBlocks()
            }
        }
        return counts.filter { !$0.value.damages.isEmpty }.sorted { $0.key < $1.key }.map { number, count in
            let names = count.damages.prefix(Self.maxNames).map(\.description).joined(separator: "; ")
            return "\(number.fileName): \(count.damages.count) of \(count.all) records are damaged or missing: \(names)"
                + (count.damages.count > Self.maxNames ? "; …" : "")
        }
    }

    /// The records among these that no row needs.
    func unneeded(_ records: [LogRecord]) throws -> [LogRecord] {
        guard !records.isEmpty else { return [] }
        return try DatabaseFile.read(location.database) { db in
            try records.filter { try !db.needs($0.header.label.kind, $0.header.label.digest, at: $0.location) }
        }
    }
}

extension Database {
    /// Whether a row names this record where it stands.
    func needs(_ kind: RecordHeader.Kind, _ digest: ContentDigest, at location: RecordLocation) throws -> Bool {
        try value(
            "SELECT EXISTS (SELECT 1 FROM \(kind.table) WHERE digest = ? AND segment = ? AND record_offset = ?)",
            [digest, location.segment, location.offset]) ?? false
    }
}
