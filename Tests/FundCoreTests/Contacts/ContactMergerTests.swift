import FundCore
import TestSupport
import Testing

/// The outcomes of imported contacts beside those that are there.
struct ContactMergerTests {
    private static func contact(_ id: Int64, _ card: ContactCard) -> Contact {
        Contact(id: .init(id), uid: "u\(id)", card: card, revision: id, createdAt: 1, changedAt: 1)
    }

    @Test
    func mergesByAddressIdAndNumber() {
        var merger = ContactMerger([
            Self.contact(1, ContactCard(name: "Ann", addresses: [ContactEntry("ann@x.example")])),
            Self.contact(2, ContactCard(name: "Bo", phones: [ContactEntry("+49 (30) 123456")])),
        ])
        func add(_ card: ContactCard, uid: String? = nil) -> ContactMerger.Outcome {
            merger.add(ImportedContact(line: 1, card: card, uid: uid))
        }
        let second = ContactCard(
            name: "Ann Smith", organisation: "ACME",
            addresses: ["ann@X.example", "a2@x.example"].map { ContactEntry($0) })
        #expect(add(second) == .merged(into: "Ann") && add(second) == .unchanged("Ann"))
        #expect(add(ContactCard(name: "bo", phones: [ContactEntry("+4930123456")], note: "n")) == .merged(into: "Bo"))
        #expect(add(ContactCard(name: "Other", title: "T"), uid: "u2") == .merged(into: "Bo"))
        #expect(add(ContactCard(name: "Cleo", addresses: [ContactEntry("c@x.example")])) == .added)
        #expect(add(ContactCard(name: "", addresses: [ContactEntry("C@x.example")])) == .unchanged("Cleo"))
        guard case .refused(let problem) = add(ContactCard(note: "only")) else { return #expect(Bool(false)) }
        #expect(problem.kind == .contactEmpty)
        #expect(merger.changes.map(\.card.name) == ["Ann", "Bo", "Cleo"])
        #expect(merger.entries[0].card.addresses.map(\.value) == ["ann@x.example", "a2@x.example"])
    }

    @Test
    func stopsAtTheLimit() {
        var merger = ContactMerger(
            (1...ContactLimits.maxContacts).map { Self.contact(Int64($0), ContactCard(name: "N\($0)")) })
        #expect(
            merger.add(ImportedContact(line: 1, card: ContactCard(name: "One more")))
                == .refused(ContactLimits.isFull))
    }

    @Test(
        arguments: [
            ("Ann Smith", "sm", true), ("Ann Smith", "mith", false), ("王小明", "小明", true),
            ("Ann Smith", "ANN  sm", true),
            ("Straße", "STRASSE", true), ("Ann", "", true), ("ann@corp.example", "corp", true), ("Ann", "a b", false),
        ])
    func findsByBeginnings(text: String, typed: String, isFound: Bool) {
        let words = ContactWords.text(of: [text])
        #expect(ContactWords.needles(of: typed).allSatisfy { words.contains($0) } == isFound)
    }
}
