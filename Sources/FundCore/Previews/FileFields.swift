internal import Foundation

/// Rows or fields of a file that are shown instead of its text: its beginning, within bounds. All texts come from the
/// file: hostile, but without controls.
package enum FileFields: Sendable, Hashable {
    case table(TableFields)
    case calendar(CalendarFields)
    case card(CardFields)
    case mail(MailFields)

    /// Limit of its JSON in bytes, which no reader exceeds.
    package static let maxBytes = 256 << 10
}

extension FileFields: Codable {
    private enum Keys: String, CodingKey { case kind }
    private enum Kind: String, Codable { case table, calendar, card, mail }

    package init(from decoder: any Decoder) throws {
        switch try decoder.container(keyedBy: Keys.self).decode(Kind.self, forKey: .kind) {
        case .table: self = .table(try TableFields(from: decoder))
        case .calendar: self = .calendar(try CalendarFields(from: decoder))
        case .card: self = .card(try CardFields(from: decoder))
        case .mail: self = .mail(try MailFields(from: decoder))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        let (kind, fields): (Kind, any Encodable) =
            switch self {
            case .table(let fields): (.table, fields)
            case .calendar(let fields): (.calendar, fields)
            case .card(let fields): (.card, fields)
            case .mail(let fields): (.mail, fields)
            }
        var container = encoder.container(keyedBy: Keys.self)
        try container.encode(kind, forKey: .kind)
        try fields.encode(to: encoder)
    }

    /// One object whose member `kind` says what the others are, with names as in `has_more_rows`. What is nil is left
    /// out. May be longer than `maxBytes`, unless a reader has made the fields. Throws what `JSONEncoder` throws, which
    /// has no reason to: there are texts, whole numbers and truth values only.
    package func json() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }

    /// Reads the text of `json`; nil for other bytes, and for more than `maxBytes`.
    package init?(json: [UInt8]) {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        guard json.count <= Self.maxBytes, let fields = try? decoder.decode(Self.self, from: Data(json)) else {
            return nil
        }
        self = fields
    }
}

/// One of some words that a field may have.
package protocol FieldWord: RawRepresentable, Sendable, Hashable, Codable, CaseIterable, Comparable
where RawValue == String {}

extension FieldWord {
    package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
}

/// An unknown word leaves its field out: it is no reason to refuse all fields. The conformances to `Decodable` that the
/// compiler makes call these.
extension KeyedDecodingContainer {
    /// Decodes a word; nil for one that is unknown.
    package func decodeIfPresent<Word: FieldWord>(_ type: Word.Type, forKey key: Key) throws -> Word? {
        try decodeIfPresent(String.self, forKey: key).flatMap(Word.init(rawValue:))
    }

    /// Decodes words, without those that are unknown.
    package func decode<Word: FieldWord>(_ type: [Word].Type, forKey key: Key) throws -> [Word] {
        try decode([String].self, forKey: key).compactMap(Word.init(rawValue:))
    }
}

/// A person or a mailbox that a file names.
package struct FieldPerson: Sendable, Hashable, Codable {
    /// The answer of an attendee (PARTSTAT of RFC 5545 §3.2.12).
    package enum State: String, FieldWord { case accepted, declined, tentative }

    package var name: String?
    /// The address as it is written: nothing has proven it.
    package var address: String?
    /// Nil for no answer.
    package var state: State?

    package init(name: String? = nil, address: String? = nil, state: State? = nil) {
        self.name = name
        self.address = address
        self.state = state
    }
}
