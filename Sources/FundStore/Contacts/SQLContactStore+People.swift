package import FundCore

extension SQLContactStore {
    /// Known addresses who are read for a list or a suggestion: the latest.
    private static let maxKnown = 5000

    package func knownAddresses(of user: User.ID, _ page: PageQuery) async throws -> ListPage<KnownAddress> {
        try await reading("list people of mail", of: user) { rows in
            let known = Set(try rows.all().flatMap { $0.card.addresses.map(\.value) })
            let strangers = try rows.knownAddresses(atMost: Self.maxKnown)
                .filter { !known.contains($0.address) }
                .sorted { ($0.usedCount, $0.seenCount, $1.address) > ($1.usedCount, $1.seenCount, $0.address) }
            // There are few, and they are counted anew with each mail: a page begins behind so many.
            let start = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1).numbers[0] } ?? 0
            let items = strangers.dropFirst(Int(clamping: start)).prefix(page.limit)
            let end = Int(clamping: start) + items.count
            return ListPage(
                items: Array(items), next: end < strangers.count ? ListCursor(Int64(end)).text : nil)
        }
    }

    package func knownPeople(of user: User.ID) async throws -> KnownPeople {
        try await reading("read known people", of: user) { rows in
            KnownPeople(
                contacts: try rows.all(), knownAddresses: try rows.knownAddresses(atMost: Self.maxKnown),
                revision: try rows.contactRevision())
        }
    }

    // MARK: Copies

    package func contactRevision(of user: User.ID) async throws -> ContactRevision {
        try await reading("read the version of contacts", of: user) { try $0.contactRevision() }
    }

    package func contactChanges(
        since revision: ContactRevision, of user: User.ID, limit: Int
    ) async throws -> ContactChanges? {
        try await reading("read changes of contacts", of: user) { rows in
            let now = try rows.contactRevision()
            let forgotten: Int64 =
                try rows.db.value("SELECT forgotten FROM contact_list WHERE user_id = ?", [user]) ?? 0
            // Who begins needs none of what was deleted.
            let isKnown = revision.number == 0 || revision.number >= forgotten
            guard revision.history == now.history, revision.number <= now.number, isKnown else { return nil }
            let rowsBehind = try rows.db.rows(
                """
                SELECT id, revision, deleted_at IS NOT NULL FROM contact WHERE user_id = ? AND revision > ?
                ORDER BY revision LIMIT ?
                """, [user, revision.number, limit + 1]
            ) { (id: $0[0] as Contact.ID, revision: $0[1] as Int64, isDeleted: $0[2] as Bool) }
            let part = rowsBehind.prefix(limit)
            let hasMore = rowsBehind.count > limit
            let ids = part.filter { !$0.isDeleted }.map(\.id.rawValue)
            let changed = try rows.contacts(
                where: "id \(SQL.isAmong("?2"))", [SQL.list(ids)], "ORDER BY revision")
            let end = hasMore ? part.last?.revision ?? now.number : now.number
            return ContactChanges(
                changed: changed, deleted: part.filter(\.isDeleted).map(\.id),
                revision: ContactRevision(history: now.history, number: end), hasMore: hasMore)
        }
    }
}

extension ContactRows {
    func contactRevision() throws -> ContactRevision {
        ContactRevision(history: try StoreHistory.current(db), number: try revision())
    }

    /// The latest people of the user's mail.
    func knownAddresses(atMost count: Int) throws -> [KnownAddress] {
        let latest = SQL.greatest("coalesce(seen_at, 0)", "coalesce(used_at, 0)")
        return try db.rows(
            """
            SELECT address, name, seen_count, seen_at, used_count, used_at FROM known_address WHERE user_id = ?1
                AND NOT EXISTS (SELECT 1 FROM address WHERE address.address = known_address.address AND user_id = ?1)
            ORDER BY \(latest) DESC, address LIMIT ?2
            """, [user, count]
        ) {
            KnownAddress(
                address: $0[0], name: $0[1], seenCount: $0[2], seenAt: $0[3], usedCount: $0[4], usedAt: $0[5])
        }
    }
}
