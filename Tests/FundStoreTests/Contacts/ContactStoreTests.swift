import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Users' contacts in rows.
struct ContactStoreTests {
    private static func card(_ name: String, _ addresses: String..., groups: [String] = []) -> ContactCard {
        ContactCard(name: name, addresses: addresses.map { ContactEntry($0) }, groups: groups)
    }

    @Test
    func keepsWhatIsWritten() async throws {
        let harness = try await StoreHarness()
        let (contacts, ann) = (harness.store.contacts, harness.ann.id)
        let card = ContactCard(
            name: " Cleo\u{202E} Clark\r\n", organisation: "ACME", department: "East", title: "T",
            addresses: [ContactEntry("Cleo@ACME.example", .work), ContactEntry("c@x.example")],
            phones: [ContactEntry("+1", .cell)], groups: ["Team", "team", ""], note: "one\r\ntwo")
        let contact = try await contacts.addContact(card, of: ann)
        #expect(contact.card.name == "Cleo Clark" && contact.card.groups == ["Team"])
        #expect(contact.card.addresses == [ContactEntry("cleo@acme.example", .work), ContactEntry("c@x.example")])
        #expect(contact.card.note == "one\ntwo" && contact.card.phones == [ContactEntry("+1", .cell)])
        #expect(try await contacts.contact(contact.id, of: ann) == contact)
        // Another user's is not found, and not changed.
        let bea = try await harness.store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        for code in [StoreError.Code.notFound] {
            await #expect { _ = try await contacts.contact(contact.id, of: bea.id) } throws: {
                ($0 as? StoreError)?.code == code
            }
            await #expect {
                _ = try await contacts.changeContact(contact.id, card, ifRevision: nil, of: bea.id)
            } throws: {
                ($0 as? StoreError)?.code == code
            }
        }
        #expect(try await contacts.deleteContacts([contact.id], of: bea.id).isEmpty)
        // A form of an earlier time changes nothing.
        let changed = try await contacts.changeContact(
            contact.id, Self.card("Cleo"), ifRevision: contact.revision, of: ann)
        await #expect {
            _ = try await contacts.changeContact(contact.id, Self.card("X"), ifRevision: contact.revision, of: ann)
        } throws: {
            ($0 as? StoreError)?.code == .conflict
        }
        #expect(try await contacts.contact(contact.id, of: ann) == changed)
        await #expect { _ = try await contacts.addContact(Self.card("", "no address"), of: ann) } throws: {
            ($0 as? StoreError)?.problem == .contactAddress
        }
        #expect(try await harness.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func listsByNameInPages() async throws {
        let harness = try await StoreHarness()
        let (contacts, ann) = (harness.store.contacts, harness.ann.id)
        for name in ["bea", "Ann", "王小明", "Ärger", "ann b"] {
            _ = try await contacts.addContact(Self.card(name, groups: name == "bea" ? ["Team"] : []), of: ann)
        }
        func names(_ filter: ContactFilter) async throws -> [String] {
            var (names, query): ([String], PageQuery?) = ([], PageQuery(limit: 2))
            while let page = query {
                let found = try await contacts.contacts(filter, of: ann, page)
                names += found.items.map(\.card.name)
                query = found.next.map { PageQuery(limit: 2, cursor: $0) }
            }
            return names
        }
        #expect(try await names(ContactFilter()).prefix(3) == ["Ann", "ann b", "bea"])
        #expect(try await names(ContactFilter(words: "an")) == ["Ann", "ann b"])
        #expect(try await names(ContactFilter(words: "小明")) == ["王小明"])
        #expect(try await names(ContactFilter(group: "TEAM")) == ["bea"])
        #expect(try await names(ContactFilter(initial: "B")) == ["bea"])
        #expect(try await names(ContactFilter(initial: "#")).contains("王小明"))
        #expect(try await contacts.contactGroups(of: ann) == [ContactGroup(name: "Team", count: 1)])
    }

    @Test
    func deletesRestoresAndForgets() async throws {
        let harness = try await StoreHarness()
        let (contacts, ann) = (harness.store.contacts, harness.ann.id)
        let first = try await contacts.addContact(Self.card("A", "a@x.example"), of: ann)
        let start = try await contacts.contactRevision(of: ann)
        let second = try await contacts.addContact(Self.card("B"), of: ann)
        #expect(try await contacts.deleteContacts([first.id, first.id, .init(99)], of: ann) == [first.id])
        let changes = try #require(try await contacts.contactChanges(since: start, of: ann, limit: 10))
        #expect(changes.changed.map(\.id) == [second.id] && changes.deleted == [first.id] && !changes.hasMore)
        let part = try #require(try await contacts.contactChanges(since: start, of: ann, limit: 1))
        #expect(part.changed.map(\.id) == [second.id] && part.deleted.isEmpty && part.hasMore)
        // An undo of an earlier act restores nothing that was deleted later.
        await #expect {
            try await contacts.restoreContacts([first.id], unlessDeletedAfter: Timestamp(1), of: ann)
        } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        #expect(try await contacts.restoreContacts([first.id], unlessDeletedAfter: nil, of: ann) == [first.id])
        #expect(try await contacts.contact(first.id, of: ann).card == first.card)
        try await contacts.deleteContacts([first.id], of: ann)
        _ = try await harness.store.maintenance.purgeDeleted(before: .now + .seconds(10))
        await #expect { try await contacts.restoreContacts([first.id], unlessDeletedAfter: nil, of: ann) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        // Whose copy is older than what is remembered begins anew.
        #expect(try await contacts.contactChanges(since: start, of: ann, limit: 10) == nil)
        let other = ContactRevision(history: HistoryID(rawValue: 1), number: 1)
        #expect(try await contacts.contactChanges(since: other, of: ann, limit: 10) == nil)
        // No id is given twice.
        #expect(try await contacts.addContact(Self.card("C"), of: ann).id > second.id)
        #expect(try await harness.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func importsInOneStep() async throws {
        let harness = try await StoreHarness()
        let (contacts, ann) = (harness.store.contacts, harness.ann.id)
        let old = try await contacts.addContact(Self.card("A", "a@x.example"), of: ann)
        let file = [
            ImportedContact(line: 1, card: Self.card("A Long", "a@x.example", "a2@x.example"), uid: "u"),
            ImportedContact(line: 5, card: Self.card("B", "b@x.example"), uid: old.uid + "x", leftOut: [.picture]),
            ImportedContact(line: 9, card: ContactCard()),
        ]
        let staged = StagedContacts(name: "a.vcf", contacts: file, hasMore: false, ignoredColumns: ["x"])
        try await contacts.stageImport(staged, of: ann)
        #expect(try await contacts.stagedImport(of: ann) == staged)
        let rehearsal = try await contacts.importContacts(file, isRehearsal: true, of: ann)
        #expect(try await contacts.countContacts(of: ann) == 1)
        #expect(try await contacts.importContacts(file, isRehearsal: false, of: ann) == rehearsal)
        #expect(try await contacts.countContacts(of: ann) == 2)
        #expect(try await contacts.contact(old.id, of: ann).card.addresses.count == 2)
        _ = try await harness.store.maintenance.sweep(now: .now + .seconds(2 * 86_400))
        #expect(try await contacts.stagedImport(of: ann) == nil)
        let audit = try await harness.store.administration.audit(AuditFilter(), PageQuery()).items
        #expect(audit.first { $0.action == "contact.import" }?.detail == "1 added, 1 changed")
        #expect(audit.allSatisfy { !$0.detail.contains("x.example") && !$0.subject.contains("x.example") })
    }
}
