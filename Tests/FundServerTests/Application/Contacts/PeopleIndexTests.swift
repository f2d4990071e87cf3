import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// A directory that a test changes.
private final class CurrentDirectory: Sendable {
    private let directory = Mutex<CompanyDirectory?>(nil)

    var value: CompanyDirectory? { directory.withLock { $0 } }

    func set(_ new: CompanyDirectory?) { directory.withLock { $0 = new } }
}

/// People who are offered while a person types.
struct PeopleIndexTests {
    private static let parts = [
        "Ann", "Anna", "An", "Bob", "o'Neil", "王", "王五", "基金", "Ünal", "ü", "Иван", "Иванова", "สมชาย", "カナ", "x", "𠮷田",
        "É", "e\u{301}", "C3PO", "+1",
    ]

    private static func contacts(_ count: Int, _ generator: inout SeededGenerator) -> [Contact] {
        (1...count).map { number in
            func word() -> String { parts[Int.random(in: 0..<parts.count, using: &generator)] }
            let card = ContactCard(
                name: "\(word()) \(word())\(word())", organisation: number.isMultiple(of: 3) ? word() : "",
                department: number.isMultiple(of: 5) ? "\(word()) \(word())" : "",
                addresses: [ContactEntry("a\(number)@corp\(number % 7).example")])
            return Contact(
                id: Contact.ID(Int64(number)), uid: "\(number)", card: card, revision: 1, createdAt: 0, changedAt: 0)
        }
    }

    private static func index(_ contacts: [Contact]) -> PeopleIndex {
        PeopleIndex(
            KnownPeople(
                contacts: contacts, knownAddresses: [],
                revision: ContactRevision(history: HistoryID(rawValue: 1), number: 1)), nil)
    }

    /// The table finds what a look at every person finds, in the same order.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func findsWhatALookAtAllFinds(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let contacts = Self.contacts(400, &generator)
        let index = Self.index(contacts)
        let byAddress = Dictionary(uniqueKeysWithValues: contacts.map { ($0.card.addresses[0].value, $0.card) })
        let all = index.offers(matching: "", limit: 1000)
        #expect(all.count == 400)
        let typed =
            Self.parts + [
                "a", "an ann", "b a", "corp", "corp3", "a12", "a1 x", "五", "金 a", "и", "ив x", "", "q", "zz",
                "an corp1 王",
            ]
            + (0..<100).map { _ in
                let words = (0...Int.random(in: 0...2, using: &generator)).map { _ in
                    Self.parts[Int.random(in: 0..<Self.parts.count, using: &generator)].prefix(2)
                }
                return words.joined(separator: " ")
            }
        for text in typed {
            let needles = ContactWords.needles(of: text)
            guard !needles.isEmpty else { continue }
            let expected = all.filter { offer in
                guard let card = byAddress[offer.addresses[0]] else { return false }
                let words = ContactWords.text(of: [card.name, offer.addresses[0], card.organisation, card.department])
                return needles.allSatisfy { words.utf8.contains($0.utf8) }
            }
            for limit in [3, 50, 1000] {
                #expect(index.offers(matching: text, limit: limit) == Array(expected.prefix(limit)), "\(text)")
            }
        }
    }

    @Test func findsNothingInNothing() {
        let index = Self.index([])
        #expect(index.offers(matching: "a", limit: 8).isEmpty && index.offers(matching: "", limit: 8).isEmpty)
        #expect(index.offers(matching: "王 b", limit: 8).isEmpty)
    }

    /// A contact that was just added is offered at once; so is it no more when it is gone.
    @Test func followsTheUser() async throws {
        let harness = try await ServerHarness()
        let user = harness.people.ann.id
        let indexes = PeopleIndexes(store: harness.store.contacts, company: { nil })
        #expect(try await indexes.index(of: user).offers(matching: "zoe", limit: 8).isEmpty)
        let zoe = try await harness.store.contacts.addContact(
            ContactCard(name: "Zoe", addresses: [ContactEntry("zoe@corp.example")]), of: user)
        #expect(try await indexes.index(of: user).offers(matching: "zo", limit: 8).map(\.name) == ["Zoe"])
        try await harness.store.contacts.deleteContacts([zoe.id], of: user)
        #expect(try await indexes.index(of: user).offers(matching: "zo", limit: 8).isEmpty)
        try await harness.stop()
    }

    /// A directory that changed is read in the background: who types gets the people of before, and soon the new ones.
    @Test func followsTheDirectory() async throws {
        let harness = try await ServerHarness()
        let user = harness.people.ann.id
        let directory = CurrentDirectory()
        let indexes = PeopleIndexes(store: harness.store.contacts, company: { directory.value })
        #expect(try await indexes.index(of: user).offers(matching: "bo", limit: 8).isEmpty)
        directory.set(try CompanyDirectory(Array("BEGIN:VCARD\nFN:Bo\nEMAIL:bo@corp.example\nEND:VCARD\n".utf8)))
        let isThere = try await becomesTrue {
            try await indexes.index(of: user).offers(matching: "bo", limit: 8).map(\.source) == [.company]
        }
        #expect(isThere)
        try await harness.stop()
    }
}

extension Sequence<UInt8> {
    /// Whether the bytes stand somewhere in these.
    fileprivate func contains(_ other: some Sequence<UInt8>) -> Bool {
        let (bytes, wanted) = (Array(self), Array(other))
        guard bytes.count >= wanted.count else { return false }
        return (0...(bytes.count - wanted.count)).contains { bytes[$0...].starts(with: wanted) }
    }
}
