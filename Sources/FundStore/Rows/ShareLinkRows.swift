import FundCore
internal import Foundation

/// Writes share links within one write transaction.
struct ShareLinkRows {
    /// Time for which a link that has ended is shown to its owner.
    private static let memory = Duration.seconds(90 * 86_400)

    let db: Database
    let now: Timestamp

    /// Inserts a link with its things, which the caller has checked, and notes it in the audit trail.
    /// - Parameter fund: that of all its things.
    func insert(
        _ link: NewShareLink, in fund: Fund.ID, of user: User.ID, _ email: String
    ) throws -> ShareLink.ID {
        try forgetEnded(of: user)
        let id: ShareLink.ID = try db.insert(
            """
            INSERT INTO share_link (owner_id, digest, seed, purpose, label, password, created_at, expires_at,
                max_openings, is_watermarked, shows_owner, max_files, max_bytes, fund_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user, link.secret.digest, Data(link.secret.seed.bytes), link.purpose.rawValue, link.label?.label,
                link.passwordHash, now, link.expiresAt, link.maxOpenings, link.isWatermarked, link.showsOwner,
                link.allowance?.maxFiles, link.allowance?.maxBytes, fund,
            ])
        for item in link.items {
            try db.execute("INSERT INTO share_item (link_id, kind, item_id) VALUES (?, ?, ?)", [id] + item.arguments)
        }
        try db.writeAudit(
            .linkAdd, of: Self.subject(id), "\(link.purpose.rawValue) of \(Self.names(link.items))", by: email,
            now: now)
        return id
    }

    /// Forgets links of a user that ended long ago, as new ones come.
    private func forgetEnded(of user: User.ID) throws {
        let ended: [Int64] = try db.values(
            "SELECT id FROM share_link WHERE owner_id = ? AND coalesce(revoked_at, expires_at) < ?",
            [user, now - Self.memory])
        for link in ended {
            try db.execute("DELETE FROM share_use WHERE link_id = ?", [link])
            try db.execute("DELETE FROM share_item WHERE link_id = ?", [link])
            try db.execute("DELETE FROM share_link WHERE id = ?", [link])
        }
    }

    /// Ends the links of a user who is disabled. Gives how many ended.
    @discardableResult
    static func revokeAll(of user: User.ID, _ db: Database, now: Timestamp = .now) throws -> Int {
        try db.execute("UPDATE share_link SET revoked_at = ? WHERE owner_id = ? AND revoked_at IS NULL", [now, user])
    }

    /// Ends all links: the rows are of an earlier state of the store, in which one that was ended may be live.
    @discardableResult
    static func revokeAll(_ db: Database, now: Timestamp = .now) throws -> Int {
        try db.execute("UPDATE share_link SET revoked_at = ? WHERE revoked_at IS NULL", [now])
    }

    // MARK: Reading

    /// The name of a link in the audit trail.
    static func subject(_ id: ShareLink.ID) -> String { "link \(id)" }

    private static func names(_ items: [LibraryItemID]) -> String {
        let names = items.prefix(10).map { "\($0.kind) \($0.number)" }.joined(separator: ", ")
        return items.count > 10 ? "\(names) and \(items.count - 10) more" : names
    }

    /// Links with a condition on the rows of `share_link`, the latest first.
    static func links(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int? = nil
    ) throws -> [ShareLink] {
        var links = try db.rows(
            """
            SELECT id, owner_id, seed, purpose, label, password IS NOT NULL, created_at, expires_at, revoked_at,
                max_openings, openings, opened_at, is_watermarked, shows_owner, max_files, max_bytes, files, bytes,
                fund_id
            FROM share_link WHERE \(condition) ORDER BY id DESC \(limit.map(SQL.limit) ?? "")
            """, arguments, as: ShareLink.init(row:))
        var items: [ShareLink.ID: [LibraryItemID]] = [:]
        try db.forEach(
            "SELECT link_id, kind, item_id FROM share_item WHERE link_id \(SQL.isAmong("?")) ORDER BY kind, item_id",
            [SQL.list(links.map(\.id.rawValue))]
        ) { row in
            guard let kind = ItemKind(rawValue: row[1]) else { return true }
            items[row[0], default: []].append(LibraryItemID(kind, row[2]))
            return true
        }
        for index in links.indices { links[index].items = items[links[index].id] ?? [] }
        return links
    }
}

extension ShareLink {
    /// The columns as `ShareLinkRows.links` names them.
    fileprivate init(row: Row) throws {
        let seed: Data = row[2]
        guard let seed = ShareLinkSeed(bytes: Array(seed)), let purpose = Purpose(rawValue: row[3]) else {
            throw StoreError(.corrupted, "read a link", "its seed or its purpose is not what it can be")
        }
        self.init(
            id: row[0], owner: row[1], seed: seed, purpose: purpose, items: [], createdAt: row[6], expiresAt: row[7],
            hasPassword: row[5])
        label = row[4]
        revokedAt = row[8]
        maxOpenings = row[9]
        openings = row[10]
        lastOpenedAt = row[11]
        isWatermarked = row[12]
        showsOwner = row[13]
        if let files: Int = row[14], let bytes: Int64 = row[15] {
            allowance = UploadAllowance(maxFiles: files, maxBytes: bytes)
        }
        received = UploadAllowance.Use(files: row[16], bytes: row[17])
        fund = row[18]
    }
}
