internal import Foundation
internal import GRDB

/// The rows of a kept folder, place by place.
///
/// All calls throw what the database throws.
final class BasePlaces {
    private static let columns = "id, parent, name, kind, remote, digest, inode, size, modified, changed"

    private let db: Database
    /// Inodes of all rows, in order; read when they are asked for first.
    private var inodes: [UInt64]?
    private var remotes: [Int64]?

    init(_ db: Database) { self.db = db }

    /// Rows in a place, in the order of the bytes of the names.
    /// - Parameter parent: nil for the top.
    func children(of parent: BaseRow.ID?) throws -> () throws -> BaseRow? {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: "SELECT \(Self.columns) FROM item WHERE parent IS ? ORDER BY name"),
            arguments: [parent])
        return {
            while let row = try rows.next() { if let row = BaseRow(row) { return row } }
            return nil
        }
    }

    func row(_ id: BaseRow.ID) throws -> BaseRow? {
        try Row.fetchOne(
            db.cachedStatement(sql: "SELECT \(Self.columns) FROM item WHERE id = ?"), arguments: [id]
        ).flatMap { BaseRow($0) }
    }

    /// More than one where files have two names, and where an inode was given anew.
    func rows(inode: UInt64) throws -> [BaseRow] {
        try Row.fetchAll(
            db.cachedStatement(sql: "SELECT \(Self.columns) FROM item WHERE inode = ?"),
            arguments: [Int64(bitPattern: inode)]
        ).compactMap { BaseRow($0) }
    }

    /// Digest of a file here that is as it was when its bytes were read; nil where that is not known.
    func digest(of fingerprint: Fingerprint) throws -> Digest? {
        if let row = try rows(inode: fingerprint.inode).first(where: { $0.fingerprint == fingerprint }) {
            return row.digest
        }
        return try Data.fetchOne(
            db.cachedStatement(
                sql: "SELECT digest FROM former WHERE inode = ? AND size = ? AND modified = ? AND changed = ?"),
            arguments: [
                Int64(bitPattern: fingerprint.inode), fingerprint.size, fingerprint.modified, fingerprint.changed,
            ]
        ).flatMap { Digest(bytes: $0) }
    }

    /// Every place in which something lies, nil for the top.
    func parents() throws -> () throws -> BaseRow.ID?? {
        let rows = try Row.fetchCursor(db, sql: "SELECT DISTINCT parent FROM item")
        return { try rows.next().map { $0[0] as Int64? } }
    }

    func fileCount() throws -> Int {
        try Int.fetchOne(db, sql: "SELECT count(*) FROM item WHERE kind = ?", arguments: [SyncKind.file.rawValue]) ?? 0
    }

    // MARK: Whether something has a row

    func knows(inode: UInt64) throws -> Bool {
        let all: [UInt64]
        if let inodes {
            all = inodes
        } else {
            all = try Self.sorted(Int64.fetchCursor(db, sql: "SELECT inode FROM item")) { UInt64(bitPattern: $0) }
            inodes = all
        }
        return Self.contains(inode, all)
    }

    func knows(_ key: RemoteKey) throws -> Bool {
        let all: [Int64]
        if let remotes {
            all = remotes
        } else {
            all = try Self.sorted(Int64.fetchCursor(db, sql: "SELECT remote * 4 + kind FROM item")) { $0 }
            remotes = all
        }
        return Self.contains(key.id * 4 + Int64(key.kind.rawValue), all)
    }

    private static func sorted<Value: Comparable>(
        _ values: FastDatabaseValueCursor<Int64>, _ convert: (Int64) -> Value
    ) throws -> [Value] {
        var result: [Value] = []
        while let value = try values.next() { result.append(convert(value)) }
        result.sort()
        return result
    }

    private static func contains<Value: Comparable>(_ value: Value, _ sorted: [Value]) -> Bool {
        var (low, high) = (0, sorted.count)
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == value
    }
}

extension BaseRow {
    /// Nil for a kind that this version does not know.
    fileprivate init?(_ row: Row) {
        guard let kind = SyncKind(rawValue: row[3]) else { return nil }
        let inode: Int64 = row[6]
        self.init(
            id: row[0], parent: row[1], name: row[2], remote: RemoteKey(kind: kind, id: row[4]),
            digest: (try? row.withUnsafeData(atIndex: 5) { $0.flatMap { Digest(bytes: $0) } }) ?? nil,
            fingerprint: Fingerprint(
                inode: UInt64(bitPattern: inode), size: row[7], modified: row[8], changed: row[9]))
    }
}
