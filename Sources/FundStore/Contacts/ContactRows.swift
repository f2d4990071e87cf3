internal import Foundation
import FundCore

/// The rows of one user's contacts within one transaction.
struct ContactRows {
    let db: Database
    let user: User.ID
    /// The one who acts for the user; nil for the user.
    var actor: String?

    static let columns = """
        id, uid, name, organisation, department, title, addresses, phones, group_names, note, revision, created_at,
            changed_at
        """

    func contacts(where condition: String, _ arguments: SQLArguments = [], _ order: String = "") throws -> [Contact] {
        try db.rows(
            "SELECT \(Self.columns) FROM contact WHERE user_id = ?1 AND \(condition) \(order)", [user] + arguments,
            as: Contact.init(row:))
    }

    /// All that are there, by name.
    func all() throws -> [Contact] { try contacts(where: "deleted_at IS NULL", [], "ORDER BY name_key, id") }

    func contact(_ id: Contact.ID, _ operation: String) throws -> Contact {
        try contacts(where: "id = ?2 AND deleted_at IS NULL", [id]).one(operation, "there is no contact \(id)")
    }

    func count() throws -> Int {
        try db.value("SELECT count(*) FROM contact WHERE user_id = ? AND deleted_at IS NULL", [user]) ?? 0
    }

    // MARK: Revisions

    func revision() throws -> Int64 {
        try db.value("SELECT revision FROM contact_list WHERE user_id = ?", [user]) ?? 0
    }

    private func nextRevision() throws -> Int64 {
        try db.execute(
            """
            INSERT INTO contact_list (user_id, revision) VALUES (?, 1)
            ON CONFLICT (user_id) DO UPDATE SET revision = contact_list.revision + 1
            """, [user])
        return try revision()
    }

    // MARK: Changes

    /// - Parameter uid: a new one where it is nil, or belongs to a contact of before.
    func insert(_ card: ContactCard, uid: String?, now: Timestamp) throws -> Contact.ID {
        let isTaken = try uid.map {
            try db.exists("SELECT 1 FROM contact WHERE user_id = ? AND uid = ?", [user, $0])
        }
        let uid = isTaken == false ? uid ?? "" : UUID().uuidString.lowercased()
        return try db.insert(
            """
            INSERT INTO contact (user_id, uid, name, organisation, department, title, addresses, phones, group_names,
                note, name_key, words, revision, created_at, changed_at)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, [user, uid] + Self.values(card) + [try nextRevision(), now, now])
    }

    func update(_ id: Contact.ID, _ card: ContactCard, now: Timestamp) throws {
        try db.execute(
            """
            UPDATE contact SET name = ?, organisation = ?, department = ?, title = ?, addresses = ?, phones = ?,
                group_names = ?, note = ?, name_key = ?, words = ?, revision = ?, changed_at = ? WHERE id = ?
            """, Self.values(card) + [try nextRevision(), now, id])
    }

    private static func values(_ card: ContactCard) -> SQLArguments {
        [
            card.name, card.organisation, card.department, card.title, ContactText.text(card.addresses),
            ContactText.text(card.phones), card.groups.joined(separator: "\n"), card.note,
            ContactWords.key(of: card.name), ContactWords.text(of: card),
        ]
    }

    /// Deletes a contact that is there, or restores a deleted one. False where there is none.
    func setDeleted(_ id: Contact.ID, at time: Timestamp?, unlessDeletedAfter limit: Timestamp? = nil) throws -> Bool {
        let isFitting =
            time == nil ? "deleted_at IS NOT NULL AND deleted_at <= \(limit?.rawValue ?? .max)" : "deleted_at IS NULL"
        guard try db.exists("SELECT 1 FROM contact WHERE id = ? AND user_id = ? AND \(isFitting)", [id, user]) else {
            return false
        }
        try db.execute("UPDATE contact SET deleted_at = ?, revision = ? WHERE id = ?", [time, try nextRevision(), id])
        return true
    }

    /// Removes contacts of all users for good that were deleted before `time`, as many as one transaction is to hold.
    /// Returns their number.
    static func forget(before time: Timestamp, _ db: Database) throws -> Int {
        let old = try db.rows(
            "SELECT id, user_id, revision FROM contact WHERE deleted_at < ? ORDER BY deleted_at LIMIT 500", [time]
        ) { (id: $0[0] as Contact.ID, user: $0[1] as User.ID, revision: $0[2] as Int64) }
        for row in old {
            try db.execute("DELETE FROM contact WHERE id = ?", [row.id])
            try db.execute(
                "UPDATE contact_list SET forgotten = \(SQL.greatest("forgotten", "?1")) WHERE user_id = ?2",
                [row.revision, row.user])
        }
        return old.count
    }
}

extension Contact {
    /// - Parameter row: the columns of `ContactRows.columns`.
    init(row: Row) {
        let card = ContactCard(
            name: row[2], organisation: row[3], department: row[4], title: row[5],
            addresses: ContactText.entries(row[6]), phones: ContactText.entries(row[7]),
            groups: ContactText.lines(row[8]), note: row[9])
        self.init(
            id: row[0], uid: row[1], card: card, revision: row[10], createdAt: row[11], changedAt: row[12])
    }
}

extension Contact: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (1, 1) }
    var cursor: ListCursor { ListCursor(id.rawValue, texts: [ContactWords.key(of: card.name)]) }
    var textBytes: Int { card.note.utf8.count }
}
