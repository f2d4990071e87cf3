import FundCore

/// Reads the first cards of vCard 2.1 to 4.0 (RFC 2426, RFC 6350).
struct CardReader {
    /// Others are not shown.
    private static let types: [String: CardFields.Purpose] = [
        "work": .work, "home": .home, "cell": .cell, "mobile": .cell, "fax": .fax,
    ]

    private var room = FieldRoom()
    private var fields = CardFields(cards: [], hasMore: false)
    private var card: CardFields.Card?
    /// Name of the open card by its parts.
    private var parts: String?

    private init() {}

    /// Nil for a text without cards.
    /// - Parameters:
    ///   - bytes: UTF-8 without byte order mark.
    ///   - isWhole: the file has no more text.
    static func fields(of bytes: [UInt8], isWhole: Bool) -> CardFields? {
        var reader = CardReader()
        reader.fields.hasMore = !isWhole
        for line in ContentLines(bytes) {
            if line.ends == "VCARD" {
                reader.endCard()
            } else if line.begins == "VCARD" {
                reader.endCard()
                guard reader.fields.cards.count < FieldLimits.maxCards, !reader.room.isFull else {
                    reader.fields.hasMore = true
                    break
                }
                reader.card = CardFields.Card()
            } else if reader.card != nil {
                reader.read(line)
            }
        }
        reader.endCard()
        reader.fields.hasMore = reader.fields.hasMore || reader.room.hasLeftOut
        return reader.fields.cards.isEmpty ? nil : reader.fields
    }

    private mutating func endCard() {
        guard var card else { return }
        if card.name == nil { card.name = parts.flatMap { room.line($0) } }
        if card != CardFields.Card() { fields.cards.append(card) }
        (self.card, parts) = (nil, nil)
    }

    private mutating func read(_ line: ContentLine) {
        guard !line.isBinary else { return }
        switch line.name {
        case "FN": if card?.name == nil { card?.name = room.line(line.text) }
        case "N": if parts == nil { parts = StructuredName.text(line.components) }
        case "ORG": if card?.organisation == nil { card?.organisation = room.line(Self.joined(line.components)) }
        case "TITLE", "ROLE": if card?.role == nil { card?.role = room.line(line.text) }
        case "TEL": add(line, to: \.telephones, without: "tel:")
        case "EMAIL": add(line, to: \.mails, without: "mailto:")
        case "ADR": add(line, to: \.addresses, without: "")
        case "URL":
            guard card?.sites.count ?? 0 < FieldLimits.maxEntries, let site = room.line(line.text) else { return }
            card?.sites.append(site)
        case "BDAY": if card?.birthday == nil { card?.birthday = room.line(Self.day(line.text), atMost: 64) }
        case "NOTE": if card?.note == nil { card?.note = room.text(line.text) }
        default: break
        }
    }

    private mutating func add(
        _ line: ContentLine, to entries: WritableKeyPath<CardFields.Card, [CardFields.Entry]>, without scheme: String
    ) {
        guard let count = card?[keyPath: entries].count, count < FieldLimits.maxEntries else { return }
        var text = line.name == "ADR" ? Self.joined(line.components) : line.text
        if !scheme.isEmpty, ASCII.lowercased(text.utf8.prefix(scheme.utf8.count)) == scheme {
            text = String(text.dropFirst(scheme.count))
        }
        guard let value = room.line(text) else { return }
        let types = Set(line.types.compactMap { Self.types[$0] }).sorted()
        room.add(types.map(\.rawValue))
        card?[keyPath: entries].append(CardFields.Entry(value: value, types: types))
    }

    private static func joined(_ components: [String]) -> String {
        components.map { $0.replacing("\n", with: ", ") }.filter(\.hasVisibleScalar).joined(separator: ", ")
    }

    /// `19801126`, as versions 3 and 4 may have it, with hyphens.
    private static func day(_ text: String) -> String {
        let bytes = Array(text.utf8)
        guard bytes.count == 8, bytes.allSatisfy(ASCII.isDigit) else { return text }
        return "\(text.prefix(4))-\(text.dropFirst(4).prefix(2))-\(text.suffix(2))"
    }
}
