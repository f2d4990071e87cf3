/// Reads the cards of a file of vCard 2.1 to 4.0 (RFC 2426, RFC 6350).
struct VCardReader {
    private static let kinds: [String: ContactEntry.Kind] = [
        "work": .work, "home": .home, "cell": .cell, "mobile": .cell, "fax": .fax,
    ]
    private static let leftOut: [String: ImportedContact.LeftOut] = [
        "PHOTO": .picture, "LOGO": .picture, "SOUND": .other, "KEY": .other, "ADR": .postalAddress,
        "LABEL": .postalAddress, "BDAY": .birthday, "ANNIVERSARY": .birthday, "URL": .website, "IMPP": .other,
        "GEO": .other, "NICKNAME": .other, "RELATED": .other, "ROLE": .other,
    ]

    /// A card on its way, with what is settled when all are there.
    private struct Open {
        var line: Int
        var card = ContactCard()
        var uid: String?
        /// The name by its parts (`N`).
        var parts: String?
        var leftOut: Set<ImportedContact.LeftOut> = []
        /// Whether it stands for a group (RFC 6350 §6.1.4), as Apple's programs write them, too.
        var isGroup = false
        var members: [String] = []
    }

    private var cards: [Open] = []
    private var open: Open?
    /// Depth of cards within a card, as version 2.1 has agents: they are left out.
    private var innerDepth = 0
    private var isAgentNext = false
    private(set) var hasMore = false

    private init() {}

    /// The contacts of a text, at most `ContactLimits.maxImported`.
    /// - Parameter bytes: UTF-8 without byte order mark.
    static func contacts(of bytes: [UInt8]) -> (contacts: [ImportedContact], hasMore: Bool) {
        var reader = VCardReader()
        for line in ContentLines(bytes) where !reader.hasMore { reader.read(line) }
        reader.end()
        return (reader.settled, reader.hasMore)
    }

    private mutating func read(_ line: ContentLine) {
        if line.begins == "VCARD" {
            if isAgentNext || innerDepth > 0 {
                innerDepth += 1
                isAgentNext = false
                return
            }
            end()
            if cards.count >= ContactLimits.maxImported { hasMore = true } else { open = Open(line: line.lineNumber) }
        } else if line.ends == "VCARD" {
            if innerDepth > 0 { innerDepth -= 1 } else { end() }
        } else if innerDepth == 0, open != nil {
            isAgentNext = line.name == "AGENT" && line.value.isEmpty
            readProperty(line)
        }
    }

    private mutating func end() {
        if let open { cards.append(open) }
        (open, innerDepth, isAgentNext) = (nil, 0, false)
    }

    private mutating func readProperty(_ line: ContentLine) {
        switch line.name {
        case "FN": if open?.card.name.isEmpty == true { open?.card.name = line.text }
        case "N": if open?.parts == nil { open?.parts = StructuredName.text(line.components) }
        case "ORG":
            guard open?.card.organisation.isEmpty == true else { return }
            let units = line.components.map(\.trimmed)
            open?.card.organisation = units.first ?? ""
            open?.card.department = units.dropFirst().filter { !$0.isEmpty }.joined(separator: " / ")
        case "TITLE": if open?.card.title.isEmpty == true { open?.card.title = line.text }
        case "EMAIL": add(line, to: \.addresses, without: "mailto:")
        case "TEL": add(line, to: \.phones, without: "tel:")
        case "CATEGORIES": add(groups: line.list)
        case "NOTE":
            let note = [open?.card.note ?? "", line.text].filter { !$0.isEmpty }.joined(separator: "\n")
            open?.card.note = note.prefix(bytes: 2 * ContactLimits.maxNoteBytes)
        case "UID": if open?.uid == nil { open?.uid = line.text.trimmed }
        case "KIND", "X-ADDRESSBOOKSERVER-KIND": open?.isGroup = ASCII.lowercased(line.text.utf8) == "group"
        case "MEMBER", "X-ADDRESSBOOKSERVER-MEMBER":
            if open?.members.count ?? 0 < ContactLimits.maxImported { open?.members.append(Self.key(line.text)) }
        default:
            if let part = Self.leftOut[line.name], !line.value.isEmpty { open?.leftOut.insert(part) }
        }
    }

    private mutating func add(
        _ line: ContentLine, to entries: WritableKeyPath<ContactCard, [ContactEntry]>, without scheme: String
    ) {
        guard let count = open?.card[keyPath: entries].count, count <= ContactLimits.maxEntries else { return }
        var text = line.text.trimmed
        if ASCII.lowercased(text.utf8.prefix(scheme.utf8.count)) == scheme {
            text = String(text.dropFirst(scheme.count))
        }
        let kind = ContactEntry.Kind.allCases.last { kind in line.types.contains { Self.kinds[$0] == kind } }
        let entry = ContactEntry(text.prefix(bytes: 2 * ContactLimits.maxLineBytes), kind)
        // The one that its owner prefers stands first.
        let isPreferred = line.types.contains("pref") || line.parameter("PREF") == "1"
        open?.card[keyPath: entries].insert(entry, at: isPreferred ? 0 : count)
    }

    private mutating func add(groups: [String]) {
        let count = open?.card.groups.count ?? 0
        open?.card.groups += groups.prefix(max(ContactLimits.maxEntries + 1 - count, 0))
    }

    /// The id of a card as members of groups are named.
    private static func key(_ uid: String) -> String {
        let uid = uid.trimmed
        return ASCII.lowercased(uid.utf8.prefix(9)) == "urn:uuid:" ? String(uid.dropFirst(9)) : uid
    }

    private var settled: [ImportedContact] {
        var groups: [String: [String]] = [:]
        for group in cards where group.isGroup && !group.card.name.isEmpty {
            for member in group.members where groups[member, default: []].count < ContactLimits.maxEntries {
                groups[member, default: []].append(group.card.name)
            }
        }
        return cards.filter { !$0.isGroup }.map { open in
            var card = open.card
            if !card.name.hasVisibleScalar { card.name = open.parts ?? "" }
            if let uid = open.uid { card.groups += groups[Self.key(uid)] ?? [] }
            return ImportedContact(line: open.line, card: card, uid: open.uid, leftOut: open.leftOut)
        }
    }
}
