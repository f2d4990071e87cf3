internal import Foundation
internal import GRDB

/// A listing that reads a catalogue.
struct CatalogueListing: RemoteListing {
    let snapshot: DatabaseSnapshot
    /// The one fund whose content lies at the top; nil for all.
    let fund: FundID?
    var history: RemoteHistory?

    func read(_ body: (any RemotePlaces) throws -> Void) throws {
        try snapshot.read { db in try body(Places(db, fund)) }
    }

    private final class Places: RemotePlaces {
        private let db: Database
        private let fund: FundID?
        private let funds: Set<Int64>
        private let folders: ReachableFolders

        init(_ db: Database, _ fund: FundID?) throws {
            (self.db, self.fund) = (db, fund)
            funds =
                if let fund { [fund.value] } else {
                    try Int64.fetchSet(db, sql: "SELECT id FROM fund WHERE is_archived = 0")
                }
            folders = try ReachableFolders(db, in: funds)
        }

        func children(of parent: RemoteKey?) throws -> () throws -> RemoteNode? {
            switch parent?.kind {
            case nil:
                if let fund { return try children(at: "fund = ?1 AND %@ IS NULL", fund.value, of: nil) }
                return try allFunds()
            case .fund: return try children(at: "fund = ?1 AND %@ IS NULL", parent?.id ?? 0, of: parent)
            case .folder: return try children(at: "%@ = ?1", parent?.id ?? 0, of: parent)
            case .file: return { nil }
            }
        }

        private func allFunds() throws -> () throws -> RemoteNode? {
            let rows = try Row.fetchCursor(db, sql: "SELECT id, name FROM fund WHERE is_archived = 0 ORDER BY name")
            return {
                try rows.next().map {
                    RemoteNode(key: RemoteKey(kind: .fund, id: $0[0]), parent: nil, name: $0[1])
                }
            }
        }

        private func children(
            at condition: String, _ id: Int64, of parent: RemoteKey?
        ) throws -> () throws -> RemoteNode? {
            let (ofFolder, ofFile) = (
                condition.replacingOccurrences(of: "%@", with: "parent"),
                condition.replacingOccurrences(of: "%@", with: "folder")
            )
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT id, name, NULL, 0, 0 FROM folder WHERE \(ofFolder)
                        UNION ALL SELECT id, name, digest, size, modified_at FROM file WHERE \(ofFile) ORDER BY 2
                        """), arguments: [id])
            return { try rows.next().map { Self.node($0, parent) } }
        }

        /// Node of a row with id, name, digest, size and time.
        private static func node(_ row: Row, _ parent: RemoteKey?) -> RemoteNode {
            let digest = (try? row.withUnsafeData(atIndex: 2) { $0.flatMap { Digest(bytes: $0) } }) ?? nil
            return RemoteNode(
                key: RemoteKey(kind: digest == nil ? .folder : .file, id: row[0]), parent: parent, name: row[1],
                digest: digest, size: row[3], modified: row[4])
        }

        func node(_ key: RemoteKey) throws -> RemoteNode? {
            switch key.kind {
            case .fund:
                guard fund == nil, funds.contains(key.id) else { return nil }
                return try String.fetchOne(db, sql: "SELECT name FROM fund WHERE id = ?", arguments: [key.id]).map {
                    RemoteNode(key: key, parent: nil, name: $0)
                }
            case .folder:
                guard folders.contains(key.id) else { return nil }
                return try node("SELECT id, name, NULL, 0, 0, fund, parent FROM folder WHERE id = ?", key)
            case .file:
                return try node(
                    "SELECT id, name, digest, size, modified_at, fund, folder FROM file WHERE id = ?", key)
            }
        }

        private func node(_ sql: String, _ key: RemoteKey) throws -> RemoteNode? {
            guard let row = try Row.fetchOne(db.cachedStatement(sql: sql), arguments: [key.id]) else { return nil }
            let (inFund, folder): (Int64, Int64?) = (row[5], row[6])
            if let folder {
                guard folders.contains(folder) else { return nil }
                return Self.node(row, RemoteKey(kind: .folder, id: folder))
            }
            guard funds.contains(inFund) else { return nil }
            return Self.node(row, fund == nil ? RemoteKey(kind: .fund, id: inFund) : nil)
        }
    }
}

/// The folders that lie below one of some funds. The feed may have told a folder of which it has not told the one
/// above.
private struct ReachableFolders {
    /// Ids in order.
    private var ids: [Int64] = []

    init(_ db: Database, in funds: Set<Int64>) throws {
        var (all, above): ([Int64], [Int64]) = ([], [])
        let rows = try Row.fetchCursor(db, sql: "SELECT id, fund, parent FROM folder ORDER BY id")
        while let row = try rows.next() {
            all.append(row[0])
            // Numbers of things begin with 1.
            above.append((row[2] as Int64?) ?? (funds.contains(row[1]) ? Self.top : Self.nowhere))
        }
        var found = [Bool?](repeating: nil, count: all.count)
        for index in all.indices where found[index] == nil {
            var (path, current, isThere): ([Int], Int, Bool) = ([], index, false)
            while true {
                path.append(current)
                found[current] = false
                guard above[current] > 0 else {
                    isThere = above[current] == Self.top
                    break
                }
                guard let next = Self.position(of: above[current], in: all) else { break }
                if let known = found[next] {
                    isThere = known
                    break
                }
                current = next
            }
            for step in path { found[step] = isThere }
        }
        for (index, id) in all.enumerated() where found[index] == true { ids.append(id) }
    }

    private static let top: Int64 = 0
    private static let nowhere: Int64 = -1

    func contains(_ id: Int64) -> Bool { Self.position(of: id, in: ids) != nil }

    private static func position(of id: Int64, in ids: [Int64]) -> Int? {
        var (low, high) = (0, ids.count)
        while low < high {
            let middle = (low + high) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low < ids.count && ids[low] == id ? low : nil
    }
}
