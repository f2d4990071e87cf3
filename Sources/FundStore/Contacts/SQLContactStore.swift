internal import Dispatch
package import FundCore

/// Users' own lists of contacts, and the people of their mail.
package struct SQLContactStore: ContactStore {
    let connection: StoreConnection
    /// The one who acts, for the audit trail; nil for the user whose contacts they are.
    private var actor: String?

    init(connection: StoreConnection) { self.connection = connection }

    /// Gives access to the lists for one who is not their user: changes are noted as those of this administrator.
    package func acting(as actor: String) -> SQLContactStore {
        var store = self
        store.actor = actor
        return store
    }

    func reading<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (ContactRows) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(ContactRows(db: $0, user: user)) }
        }
    }

    func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, of user: User.ID,
        _ body: @escaping @Sendable (ContactRows) throws -> Value
    ) async throws -> Value {
        try await connection.writing(operation, room, on: connection.queues.changes) { [actor] in
            try body(ContactRows(db: $0, user: user, actor: actor))
        }
    }

    /// The card as it is kept. Throws `invalid`.
    static func checked(_ card: ContactCard, _ operation: String) throws -> ContactCard {
        let card = card.cleaned
        if let problem = card.problem { throw StoreError(operation, problem) }
        return card
    }

    // MARK: Lists

    package func contacts(
        _ filter: ContactFilter, of user: User.ID, _ page: PageQuery
    ) async throws -> ListPage<Contact> {
        try await reading("list contacts", of: user) { rows in
            try page.list { cursor, count in
                let keys = Keyset("name_key", "id")
                var (condition, arguments) = Self.condition(filter)
                if let cursor {
                    let number = arguments.count + 2
                    condition += " AND \(keys.isBehind("?\(number), ?\(number + 1)"))"
                    arguments += [cursor.texts[0], cursor.numbers[0]]
                }
                return try rows.contacts(
                    where: condition, arguments, "ORDER BY \(keys.order) \(SQL.limit(count))")
            }
        }
    }

    /// A condition with its arguments from `?2` on.
    private static func condition(_ filter: ContactFilter) -> (String, SQLArguments) {
        var (terms, arguments): ([String], SQLArguments) = (["deleted_at IS NULL"], [])
        for needle in filter.words.map(ContactWords.needles) ?? [] {
            arguments.append(needle)
            terms.append(SQL.contains("words", "?\(arguments.count + 1)"))
        }
        if let words = filter.words, ContactWords.needles(of: words).isEmpty, words.hasVisibleScalar {
            terms.append("1 = 0")
        }
        if let group = filter.group {
            arguments.append("\n" + group + "\n")
            let names = "'\n' || group_names || '\n'"
            terms.append(SQL.containsCaseless(names, "?\(arguments.count + 1)"))
        }
        if let initial = filter.initial {
            let (first, last) = ("a", "{")
            switch initial.asciiValue.map(ASCII.lowercased) {
            case let letter? where ASCII.isLowercase(letter):
                arguments += [String(UnicodeScalar(letter)), String(UnicodeScalar(letter + 1))]
                terms.append("name_key >= ?\(arguments.count) AND name_key < ?\(arguments.count + 1)")
            default: terms.append("(name_key < '\(first)' OR name_key >= '\(last)')")
            }
        }
        return (terms.joined(separator: " AND "), arguments)
    }

    package func contact(_ id: Contact.ID, of user: User.ID) async throws -> Contact {
        let operation = "find a contact"
        return try await reading(operation, of: user) { try $0.contact(id, operation) }
    }

    package func contacts(_ ids: [Contact.ID], of user: User.ID) async throws -> [Contact] {
        try await reading("find contacts", of: user) { rows in
            try rows.contacts(
                where: "id \(SQL.isAmong("?2")) AND deleted_at IS NULL", [SQL.list(ids.map(\.rawValue))])
        }
    }

    package func allContacts(of user: User.ID) async throws -> [Contact] {
        try await reading("read all contacts", of: user) { try $0.all() }
    }

    package func countContacts(of user: User.ID) async throws -> Int {
        try await reading("count contacts", of: user) { try $0.count() }
    }

    package func contactGroups(of user: User.ID) async throws -> [ContactGroup] {
        try await reading("list groups of contacts", of: user) { rows in
            let lists: [String] = try rows.db.values(
                "SELECT group_names FROM contact WHERE user_id = ? AND deleted_at IS NULL AND group_names <> ''", [user]
            )
            return ContactGroup.groups(of: lists.map(ContactText.lines))
        }
    }

    // MARK: Changes

    package func addContact(_ card: ContactCard, of user: User.ID) async throws -> Contact {
        let operation = "add a contact"
        let card = try Self.checked(card, operation)
        return try await changing(operation, of: user) { rows in
            guard try rows.count() < ContactLimits.maxContacts else {
                throw StoreError(operation, ContactLimits.isFull)
            }
            let id = try rows.insert(card, uid: nil, now: .now)
            try rows.writeAudit(.contactAdd, "contact \(id)", operation)
            return try rows.contact(id, operation)
        }
    }

    package func changeContact(
        _ id: Contact.ID, _ card: ContactCard, ifRevision revision: Int64?, of user: User.ID
    ) async throws -> Contact {
        let operation = "change a contact"
        let card = try Self.checked(card, operation)
        return try await changing(operation, of: user) { rows in
            let old = try rows.contact(id, operation)
            guard revision == nil || revision == old.revision else {
                throw StoreError(.conflict, operation, "it was changed in between")
            }
            guard old.card != card else { return old }
            try rows.update(id, card, now: .now)
            try rows.writeAudit(.contactChange, "contact \(id)", operation)
            return try rows.contact(id, operation)
        }
    }

    @discardableResult
    package func deleteContacts(_ ids: [Contact.ID], of user: User.ID) async throws -> [Contact.ID] {
        let operation = "delete contacts"
        return try await changing(operation, .reserve, of: user) { rows in
            let now = Timestamp.now
            let deleted = try ids.filter { try rows.setDeleted($0, at: now) }
            for id in deleted { try rows.writeAudit(.contactDelete, "contact \(id)", operation) }
            return deleted
        }
    }

    @discardableResult
    package func restoreContacts(
        _ ids: [Contact.ID], unlessDeletedAfter time: Timestamp?, of user: User.ID
    ) async throws -> [Contact.ID] {
        let operation = "restore contacts"
        return try await changing(operation, .reserve, of: user) { rows in
            guard try rows.count() + ids.count <= ContactLimits.maxContacts else {
                throw StoreError(operation, ContactLimits.isFull)
            }
            let restored = try ids.filter { try rows.setDeleted($0, at: nil, unlessDeletedAfter: time) }
            guard !restored.isEmpty else { throw StoreError(.notFound, operation, "there is none to restore") }
            for id in restored { try rows.writeAudit(.contactRestore, "contact \(id)", operation) }
            return restored
        }
    }
}

extension ContactRows {
    /// Notes an act of the user, or of one who acts for them. Names and addresses of contacts stay out of the audit
    /// trail, which administrators read.
    func writeAudit(_ action: AuditAction, _ subject: String, _ operation: String, _ detail: String = "") throws {
        let email = try UserRows.email(of: user, db, operation)
        try db.writeAudit(action, of: actor == nil ? subject : "\(subject) of \(email)", detail, by: actor ?? email)
    }
}
