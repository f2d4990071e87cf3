package import FundCore

/// Share links as their owners have them. `ShareLinkRows` writes them.
package struct SQLShareLinkStore: ShareLinkStore {
    let connection: StoreConnection
    let log: StoreLog
    let quarantine: Quarantine

    package func addLink(_ link: NewShareLink, of user: User.ID, at now: Timestamp) async throws -> ShareLink {
        try await connection.writing("make a link", on: connection.queues.changes) {
            try ShareLinkRows(db: $0, now: now).add(link, of: user)
        }
    }

    package func links(of user: User.ID?, _ page: PageQuery) async throws -> ListPage<OpenedLink> {
        try await connection.reading("list links") { db in
            try page.list { cursor, count in
                let before = cursor?.numbers[0] ?? Int64.max
                let links =
                    if let user {
                        try ShareLinkRows.links(db, where: "id < ?1 AND owner_id = ?2", [before, user], limit: count)
                    } else {
                        try ShareLinkRows.links(db, where: "id < ?1", [before], limit: count)
                    }
                var owners: [User.ID: User] = [:]
                let ids = SQL.list(Set(links.map(\.owner.rawValue)))
                try db.forEach("SELECT * FROM \"user\" WHERE id \(SQL.isAmong("?"))", [ids]) { row in
                    let user = User(row: row)
                    owners[user.id] = user
                    return true
                }
                return links.compactMap { link in owners[link.owner].map { OpenedLink(link: link, owner: $0) } }
            }
        }
    }

    package func links(
        naming items: [LibraryItemID], of user: User.ID, at now: Timestamp
    ) async throws -> [ShareLink] {
        try await connection.reading("find links of an item") { db in
            var ids: Set<Int64> = []
            for (kind, items) in Dictionary(grouping: items, by: \.kind) {
                ids.formUnion(
                    try db.values(
                        "SELECT link_id FROM share_item WHERE kind = ?1 AND item_id \(SQL.isAmong("?2"))",
                        [kind.rawValue, SQL.list(items.map(\.number))]))
            }
            guard !ids.isEmpty else { return [] }
            return try ShareLinkRows.links(
                db, where: "owner_id = ?1 AND revoked_at IS NULL AND expires_at > ?2 AND id \(SQL.isAmong("?3"))",
                [user, now, SQL.list(ids)])
        }
    }

    package func countLive(at now: Timestamp) async throws -> Int {
        try await connection.reading("count links") { db in
            try db.value("SELECT count(*) FROM share_link WHERE revoked_at IS NULL AND expires_at > ?", [now]) ?? 0
        }
    }

    package func link(_ id: ShareLink.ID, of user: User.ID) async throws -> ShareLink {
        let operation = "find a link"
        return try await connection.reading(operation) { try Self.link(id, of: user, $0, operation) }
    }

    /// - Parameter user: nil for the link of any user.
    private static func link(
        _ id: ShareLink.ID, of user: User.ID?, _ db: Database, _ operation: String
    ) throws -> ShareLink {
        try ShareLinkRows.links(db, where: "id = ?1 AND (?2 IS NULL OR owner_id = ?2)", [id, user])
            .one(operation, "there is no link \(id)")
    }

    package func uses(
        of link: ShareLink.ID, of user: User.ID, _ page: PageQuery
    ) async throws -> ListPage<ShareLinkUse> {
        let operation = "list what a link was used for"
        return try await connection.reading(operation) { db in
            _ = try Self.link(link, of: user, db, operation)
            return try page.list { cursor, count in
                try db.rows(
                    """
                    SELECT id, at, name, network, file_id, file_name, file_size FROM share_use
                    WHERE link_id = ?1 AND id < ?2 ORDER BY id DESC \(SQL.limit(count))
                    """, [link, cursor?.numbers[0] ?? Int64.max]
                ) { row in
                    var use = ShareLinkUse(
                        id: row[0], at: row[1], visitor: ShareVisitor(name: row[2], network: row[3]))
                    if let file: FileEntry.ID = row[4], let name: String = row[5], let size: Int64 = row[6] {
                        use.file = ShareLinkUse.File(id: file, name: name, size: size)
                    }
                    return use
                }
            }
        }
    }

    package func names(
        of items: Set<LibraryItemID>, of user: User.ID
    ) async throws -> [LibraryItemID: String] {
        try await connection.reading("find the things of links") { db in
            try Self.things(of: items, LibraryView(db: db, user: user)).mapValues(\.name)
        }
    }

    package func names(
        of links: [ShareLink], of user: User.ID
    ) async throws -> [ShareLink.ID: [LibraryItemID: String]] {
        try await connection.reading("find the things of links") { db in
            let things = try Self.things(of: Set(links.flatMap(\.items)), LibraryView(db: db, user: user))
            return links.reduce(into: [:]) { names, link in
                names[link.id] = link.items.reduce(into: [:]) { names, item in
                    if let thing = things[item], thing.fund == link.fund { names[item] = thing.name }
                }
            }
        }
    }

    /// The names of those among these items that are there, and the funds in which they are.
    private static func things(
        of items: Set<LibraryItemID>, _ view: LibraryView
    ) throws -> [LibraryItemID: (name: String, fund: Fund.ID)] {
        let items = Array(items)
        var things: [LibraryItemID: (name: String, fund: Fund.ID)] = [:]
        for item in try view.items(among: items) {
            let fund =
                switch item {
                case .fund(let fund): fund.id
                case .folder(let folder): folder.fund
                case .file(let file): file.fund
                }
            things[item.itemID] = (item.name, fund)
        }
        for email in try view.among(items, .email, { try view.emails(where: $0, $1) }) {
            things[.email(email.id)] = (email.subject ?? "", email.fund)
        }
        for note in try view.among(items, .note, { try view.notes(where: $0, $1) }) {
            things[.note(note.id)] = (note.text.title, note.fund)
        }
        return things
    }

    @discardableResult
    package func revokeLink(_ id: ShareLink.ID, of user: User.ID?, actor: String) async throws -> Bool {
        let operation = "end a link"
        return try await connection.writing(operation, .lastReserve) { db in
            let link = try Self.link(id, of: user, db, operation)
            let email = try UserRows.email(of: link.owner, db, operation)
            if user == nil || email != actor { try UserRows(db: db, actor: actor).checkActor(operation) }
            guard link.revokedAt == nil else { return false }
            let now = Timestamp.now
            try db.execute("UPDATE share_link SET revoked_at = ? WHERE id = ?", [now, id])
            try db.writeAudit(.linkRevoke, of: ShareLinkRows.subject(id), "of \(email)", by: actor, now: now)
            return true
        }
    }
}

extension OpenedLink: ListedItem {
    var cursor: ListCursor { ListCursor(link.id.rawValue) }
}

extension ShareLinkUse: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
    var textBytes: Int { (visitor.name?.utf8.count ?? 0) + (file?.name.utf8.count ?? 0) }
}
