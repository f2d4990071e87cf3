internal import Glibc
internal import FundCore

/// The people whom one user may write to, in memory: found by the beginnings of their words, in the order in which they
/// are offered.
struct PeopleIndex: Sendable {
    /// The list that has an address. Of an address in several lists the first one counts.
    enum Source: String, Sendable {
        case own, company, seen, group
    }

    /// One address with its person, or a group with all of its addresses.
    struct Offer: Sendable, Hashable {
        var source: Source
        /// Empty where no name is known.
        var name: String
        /// The organisation, and what else tells people of one name apart.
        var detail: String
        /// One; of a group those of its members.
        var addresses: [String]
        /// The text for an address field, as `AddressList` reads it.
        var text: String
    }

    /// A group of more members is a mailing list.
    private static let maxMembers = 50

    private let offers: [Offer]
    /// The words of all offers as `ContactWords` writes them, each behind a line feed.
    private let text: [UInt8]
    /// Where the words of each offer begin.
    private let starts: [Int]
    private let table: WordTable

    /// - Parameter company: nil without a directory.
    init(_ known: KnownPeople, _ company: CompanyDirectory?) {
        var entries: [Entry] = []
        let uses = Dictionary(known.knownAddresses.map { ($0.address, $0) }) { first, _ in first }
        var taken: Set<String> = []
        func add(_ card: ContactCard, _ source: Source) {
            for entry in card.addresses where taken.insert(entry.value).inserted {
                entries.append(Entry(card, entry.value, source, uses[entry.value]))
            }
        }
        for contact in known.contacts { add(contact.card, .own) }
        for person in company?.people ?? [] { add(person.card, .company) }
        for person in known.knownAddresses where taken.insert(person.address).inserted {
            let card = ContactCard(name: person.name ?? "", addresses: [ContactEntry(person.address)])
            entries.append(Entry(card, person.address, .seen, person))
        }
        entries += Self.groups(known, company)
        entries.sort(by: <)
        var (text, starts): ([UInt8], [Int]) = ([], [])
        for entry in entries {
            starts.append(text.count)
            text += entry.words.utf8
            text.append(.lf)
        }
        offers = entries.map(\.offer)
        (self.text, self.starts, table) = (text, starts, WordTable(text))
    }

    /// The first offers that have all words; without words the first of all.
    func offers(matching typed: String, limit: Int) -> [Offer] {
        let needles = ContactWords.needles(of: typed).map { Array($0.utf8) }
        let places = needles.map { table.places(of: $0) }
        // Where the rarest word stands, the others are looked for.
        guard let rarest = places.indices.min(by: { places[$0].count < places[$1].count }) else {
            return typed.hasVisibleScalar ? [] : Array(offers.prefix(limit).filter { $0.source != .group })
        }
        var (found, position, hits): ([Offer], Int, WordTable.Places) = ([], 0, places[rarest])
        while found.count < limit, let hit = hits.next(from: position) {
            let index = offer(at: hit)
            let end = index + 1 < starts.count ? starts[index + 1] : text.count
            let hasAll = needles.indices.allSatisfy {
                $0 == rarest || find(needles[$0], in: starts[index]..<end) != nil
            }
            if hasAll { found.append(offers[index]) }
            position = end
        }
        return found
    }

    /// Number of the offer whose words stand at a position.
    private func offer(at position: Int) -> Int {
        var (low, high) = (0, starts.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= position { low = middle } else { high = middle }
        }
        return low
    }

    /// The place of a needle. What is looked for first is its second byte, since words begin with a space.
    private func find(_ needle: [UInt8], in range: Range<Int>) -> Int? {
        let offset = needle.count > 1 ? 1 : 0
        return text.withUnsafeBytes { text in
            needle.withUnsafeBytes { needle -> Int? in
                guard let base = text.baseAddress, let wanted = needle.baseAddress else { return nil }
                var position = range.lowerBound
                while range.upperBound - position >= needle.count {
                    let rest = range.upperBound - position - needle.count + 1
                    guard let hit = memchr(base + position + offset, Int32(needle[offset]), rest) else { return nil }
                    position = UnsafeRawPointer(hit) - base - offset
                    if memcmp(base + position, wanted, needle.count) == 0 { return position }
                    position += 1
                }
                return nil
            }
        }
    }
}

extension PeopleIndex {
    /// An offer with its place in the order.
    private struct Entry {
        var offer: Offer
        var words: String
        var usedAt: Timestamp?
        var seenCount: Int
        var key: String

        init(_ card: ContactCard, _ address: String, _ source: Source, _ use: KnownAddress?) {
            let name = card.name == address ? "" : card.name
            let detail = [card.title, card.department, card.organisation].filter { !$0.isEmpty && $0 != name }
            offer = Offer(
                source: source, name: name, detail: detail.joined(separator: ", "), addresses: [address],
                text: Addressee(name: name, address: address)?.text ?? address)
            words = ContactWords.text(of: [name, address, card.organisation, card.department])
            (usedAt, seenCount, key) = (use?.usedAt, use?.seenCount ?? 0, ContactWords.key(of: card.name))
        }

        init(group: String, _ members: [Offer]) {
            offer = Offer(
                source: .group, name: group, detail: "", addresses: members.flatMap(\.addresses),
                text: members.map(\.text).joined(separator: ", "))
            words = ContactWords.text(of: [group])
            (usedAt, seenCount, key) = (nil, 0, ContactWords.key(of: group))
        }

        private static let order: [Source] = [.own, .group, .company, .seen]

        /// People to whom the user wrote lately stand first, then own contacts, groups, the company's and others.
        static func < (first: Entry, second: Entry) -> Bool {
            let (used, otherUsed) = (first.usedAt ?? Timestamp(.min), second.usedAt ?? Timestamp(.min))
            if used != otherUsed { return used > otherUsed }
            let (rank, otherRank) = (
                order.firstIndex(of: first.offer.source) ?? 0, order.firstIndex(of: second.offer.source) ?? 0
            )
            if rank != otherRank { return rank < otherRank }
            if first.offer.source == .seen, first.seenCount != second.seenCount {
                return first.seenCount > second.seenCount
            }
            return (first.key, first.offer.text) < (second.key, second.offer.text)
        }
    }

    /// The groups of own contacts, and those of the company and its departments.
    private static func groups(_ known: KnownPeople, _ company: CompanyDirectory?) -> [Entry] {
        var groups: [String: (name: String, members: [Offer])] = [:]
        func add(_ card: ContactCard, to name: String) {
            guard let address = card.addresses.first?.value, !name.isEmpty else { return }
            groups[ContactWords.key(of: name), default: (name, [])].members.append(
                Entry(card, address, .group, nil).offer)
        }
        for contact in known.contacts { for group in contact.card.groups { add(contact.card, to: group) } }
        for person in company?.people ?? [] { for group in person.card.directoryGroups { add(person.card, to: group) } }
        return groups.values.filter { (2...maxMembers).contains($0.members.count) }.map {
            Entry(group: $0.name, $0.members)
        }
    }
}
