internal import GRDB
package import FundCore
internal import Synchronization

extension FundStore {
    package func changes(of user: User.ID, after cursor: ChangeCursor?, limit: Int) async throws -> ChangePage {
        let limit = min(max(limit, 1), 1000)
        return try await viewing("read what changed", of: user) { view in
            if let cursor { try ChangeEpochs.check(cursor, view.db) }
            let epoch = try ChangeEpochs.current(view.db)
            let rows = try view.fetch(
                """
                SELECT seq, kind, item_id FROM change WHERE owner_id = ?1 AND seq > ?2 ORDER BY seq LIMIT \(limit + 1)
                """, [cursor?.number ?? 0])
            let changes = try rows.prefix(limit).map { row in
                let item = try LibraryItemID(column: row[1], row[2])
                return ChangePage.Change(
                    cursor: ChangeCursor(epoch: epoch, number: row[0]), item: item, isDeleted: try !view.holds(item))
            }
            let last = changes.last?.cursor ?? ChangeCursor(epoch: epoch, number: cursor?.number ?? 0)
            return ChangePage(changes: changes, cursor: last, hasMore: rows.count > limit)
        }
    }

    package func dataVersion() throws -> Int64 {
        do {
            return try openDataVersion.withLock { version in
                let open = try version ?? DataVersion(path: layout.database)
                version = open
                return try open.read()
            }
        } catch {
            throw StoreError.wrap(error, "ask whether anything changed")
        }
    }

    package func changeCounter() async throws -> Int64 {
        try await blocking { [self] in
            try read("read the change counter") { try Int64.fetchOne($0, sql: "SELECT max(seq) FROM change") ?? 0 }
        }
    }
}

extension LibraryView {
    func holds(_ item: LibraryItemID) throws -> Bool {
        do {
            try check(item)
            return true
        } catch let error as StoreError where error.code == .notFound {
            return false
        }
    }
}
