internal import FundHTTP
internal import FundCore

/// The fields of a query: `name=value&…`, percent-encoded, with `+` for a space.
struct QueryText: Sendable {
    /// All of them by name, also the empty ones.
    let fields: FieldText

    /// Throws for a malformed escape, invalid UTF-8, NUL, and a name that occurs twice.
    init(_ text: String) throws {
        do { fields = try FieldText(form: text) } catch {
            switch error {
            case .duplicate: throw RequestError.invalid("the query names a field twice")
            case .tooMany: throw error.requestError
            case .malformed, .encoding, .number:
                throw RequestError.invalid("the query is not percent-encoded text in UTF-8")
            }
        }
        guard fields.values.allSatisfy({ !$0.key.utf8.contains(0) && !$0.value.utf8.contains(0) }) else {
            throw RequestError.invalid("the query holds a NUL")
        }
    }

    /// Nil when it is missing or empty.
    subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// A keyword. Empty text and long text match none.
    func word(_ name: String) -> String? { fields[name].map { $0.isShortWord ? $0 : "" } }

    /// Throws when the field is present and not a number within `range`.
    func number(_ name: String, in range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64? {
        guard let text = fields[name] else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            throw RequestError.invalid("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// The id of something under this name; nil when it is missing.
    func id<Entity>(_ name: String) throws -> ID<Entity>? { try number(name, in: 1...Int64.max).map { ID($0) } }

    /// Seconds since 1970 under this name; nil when it is missing.
    func time(_ name: String) throws -> Timestamp? { try number(name).map { Timestamp($0) } }

    /// When a file was changed last, as the program that sends it has it, under `modified_at`: see
    /// `DateText.time(since1970:)`. Nil when it is missing; throws for other text.
    func modificationTime() throws -> Timestamp? {
        guard let text = fields["modified_at"] else { return nil }
        guard let time = DateText.time(since1970: text) else {
            throw RequestError.invalid("modified_at must be seconds since 1970")
        }
        return time
    }

    func flag(_ name: String) throws -> Bool {
        switch word(name) {
        case nil, "false": return false
        case "true": return true
        default: throw RequestError.invalid("\(name) must be true or false")
        }
    }

    /// The size of a page, 1 to 500.
    func limit(default standard: Int = 100) throws -> Int { Int(try number("limit", in: 1...500) ?? Int64(standard)) }

    /// The order of a list: `sort=name`; `sort=-size` for descending order. Nil when it is missing.
    func sort<Key: RawRepresentable & CaseIterable>() throws -> (key: Key, isDescending: Bool)?
    where Key.RawValue == String {
        guard let word = word("sort") else { return nil }
        let isDescending = word.hasPrefix("-")
        guard let key = Key(rawValue: isDescending ? String(word.dropFirst()) : word) else {
            let keys = Key.allCases.map(\.rawValue).joined(separator: ", ")
            throw RequestError.invalid("sort must be one of \(keys), with - before it for the other way round")
        }
        return (key, isDescending)
    }

    /// Digits only: `Int64.init` accepts a sign, too.
    static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy(ASCII.isDigit) ? Int64(text) : nil
    }
}
