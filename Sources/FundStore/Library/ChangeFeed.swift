internal import GRDB
import FundCore

/// Says that an item is new or changed, where no trigger does: see `LibrarySchema`.
enum ChangeFeed {
    static func note(_ db: Database, _ item: LibraryItemID, of owner: User.ID) throws {
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO change (owner_id, kind, item_id) VALUES (?, ?, ?)")
            .execute(arguments: [owner, item.kind.rawValue, item.number])
    }
}
