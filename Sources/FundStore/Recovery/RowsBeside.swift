import FundCore

/// Databases that stand beside logs, as far as they can be read. They tell the salts of segments that have lost their
/// opening, and which records are needed that say of themselves that they were given up.
enum RowsBeside {
    private static let logFolder = "/log"

    /// The salts that the databases beside these files name.
    static func salts(of files: [LeftFile]) -> Set<UInt64> {
        var salts: Set<UInt64> = []
        for root in Set(files.compactMap { root(of: $0.path) }) {
            guard let store = try? FundStore.open(at: root, mode: .readOnly) else { continue }
            defer { try? store.close() }
            let found = try? store.connection.read("look for salts of segments") { db -> [Int64] in
                try db.values("SELECT salt FROM segment WHERE salt IS NOT NULL")
            }
            salts.formUnion((found ?? []).map { UInt64(bitPattern: $0) })
        }
        return salts
    }

    /// The records among these that a row names where they stand.
    static func needed(_ records: [LeftLog.Record], of segments: [LeftLog.Segment]) -> [LeftLog.Record] {
        Dictionary(grouping: records) { root(of: segments[Int($0.file)].path) }.flatMap { root, records in
            // Without rows nothing says that they are needed.
            let none: [LeftLog.Record] = []
            guard let root, let store = try? FundStore.open(at: root, mode: .readOnly) else { return none }
            defer { try? store.close() }
            let needed = try? store.connection.read("look for records that are needed") { db in
                try records.filter { record in
                    let segment = segments[Int(record.file)].number
                    let location = RecordLocation(segment: segment, offset: record.offset, count: record.count)
                    return try db.needs(record.kind, record.digest, at: location)
                }
            }
            return needed ?? none
        }.sorted { ($0.file, $0.offset) < ($1.file, $1.offset) }
    }

    /// The store in whose log a segment stands; nil for one that stands elsewhere.
    private static func root(of path: String) -> String? {
        guard let end = path.lastIndex(of: "/") else { return nil }
        let folder = path[..<end]
        return folder.hasSuffix(logFolder) ? String(folder.dropLast(logFolder.count)) : nil
    }
}
