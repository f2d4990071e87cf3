import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The people of users' mail.
struct KnownAddressTests {
    private static func message(
        _ harness: StoreHarness, _ text: String, to: [NamedAddress]
    ) throws -> RoutedMessage {
        var message = try harness.message(text)
        guard case .message(var parsed) = message.parsed else { return message }
        parsed.header.to = to
        message.parsed = .message(parsed)
        return message
    }

    private static func deliver(_ harness: StoreHarness, _ messages: [RoutedMessage]) async throws -> [StoredMessage] {
        try await harness.store.mail.commit(try messages.map { try harness.stage($0) })
    }

    private static func known(_ harness: StoreHarness) async throws -> [String] {
        let page = try await harness.store.contacts.knownAddresses(of: harness.ann.id, PageQuery(limit: 10))
        return page.items.map { "\($0.address) \($0.seenCount) \($0.usedCount)" }
    }

    @Test
    func filingNotesWhomAMailNames() async throws {
        let harness = try await StoreHarness()
        let bob = NamedAddress(displayName: "Bob\u{202E}", address: "Bob@X.example")
        let (noone, cleo) = (NamedAddress(address: "no address"), NamedAddress(address: "cleo@x.example"))
        _ = try await Self.deliver(harness, [try Self.message(harness, "one", to: [bob, bob, noone])])
        _ = try await Self.deliver(harness, [try Self.message(harness, "two", to: [bob, cleo])])
        // Not the owner's own addresses.
        #expect(try await Self.known(harness) == ["bob@x.example 2 0", "cleo@x.example 1 0"])
        let people = try await harness.store.contacts.knownAddresses(of: harness.ann.id, PageQuery(limit: 1))
        #expect(people.items.first?.name == "Bob" && people.next != nil)
        _ = try await harness.store.contacts.addContact(
            ContactCard(addresses: [ContactEntry("bob@x.example")]), of: harness.ann.id)
        #expect(try await Self.known(harness) == ["cleo@x.example 1 0"])
        try harness.store.connection.write("note a letter") { db in
            let cleo = try #require(EmailAddress("cleo@x.example"))
            try KnownAddressRows(db: db).noteUse(cleo, name: "Cleo", by: harness.ann.id, at: .now)
        }
        #expect(try await Self.known(harness) == ["cleo@x.example 1 1"])
    }

    /// Who was named by mail alone that was taken back or purged is not known any more.
    @Test
    func forgetsWithTheMail() async throws {
        let harness = try await StoreHarness()
        let (bob, cleo) = (NamedAddress(address: "bob@x.example"), NamedAddress(address: "cleo@x.example"))
        let first = try #require(
            try await Self.deliver(harness, [try Self.message(harness, "one", to: [bob, cleo])]).first?.emailID)
        let second = try #require(
            try await Self.deliver(harness, [try Self.message(harness, "two", to: [bob])]).first?.emailID)
        try await harness.store.library.deleteEmail(first, of: harness.ann.id)
        _ = try await harness.store.maintenance.purgeDeleted(before: .now + .seconds(10))
        #expect(try await Self.known(harness) == ["bob@x.example 1 0"])
        try await harness.store.library.deleteEmail(second, of: harness.ann.id)
        _ = try await harness.store.maintenance.purgeDeleted(before: .now + .seconds(10))
        #expect(try await Self.known(harness).isEmpty)
    }
}
