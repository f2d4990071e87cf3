import FundCore

/// Databases that stand beside logs, as far as they can be read. They tell the salts of segments that have lost their
/// opening, and which records are needed that say of themselves that they were given up.
struct RowsBeside {
    private static let logFolder = "/\(StoreLocation.logName)"

    /// Stores by their folders.
    private let stores: [String: FundStore]

    /// Opens the stores in whose logs these files stand.
    init(_ files: [LeftFile]) {
        let roots = Set(files.compactMap { Self.root(of: $0.path) })
        stores = roots.reduce(into: [:]) { $0[$1] = try? FundStore.open(at: $1, mode: .readOnly) }
    }

    func close() { for store in stores.values { try? store.close() } }

    /// The salts that the databases name.
    func salts() -> Set<UInt64> {
        Set(
            stores.values.flatMap { store -> [UInt64] in
                let found = try? store.connection.read("look for salts of segments") { db -> [Int64] in
                    try db.values("SELECT salt FROM segment WHERE salt IS NOT NULL")
                }
                return (found ?? []).map { UInt64(bitPattern: $0) }
            })
    }

    /// The records among these that a row names where they stand. Without rows nothing says that they are needed.
    func needed(_ records: [LeftLog.Record], of segments: [LeftLog.Segment]) -> [LeftLog.Record] {
        Dictionary(grouping: records) { Self.root(of: segments[Int($0.file)].path) }.flatMap { root, records in
            let store = root.flatMap { stores[$0] }
            let needed = try? store?.connection.read("look for records that are needed") { db in
                try records.filter { record in
                    let segment = segments[Int(record.file)].number
                    let location = RecordLocation(segment: segment, offset: record.offset, count: record.count)
                    return try db.needs(record.kind, record.digest, at: location)
                }
            }
            return needed ?? []
        }.sorted { ($0.file, $0.offset) < ($1.file, $1.offset) }
    }

    /// The store in whose log a segment stands; nil for one that stands elsewhere.
    private static func root(of path: String) -> String? {
        guard let end = path.lastIndex(of: "/") else { return nil }
        let folder = path[..<end]
        return folder.hasSuffix(logFolder) ? String(folder.dropLast(logFolder.count)) : nil
    }
}
