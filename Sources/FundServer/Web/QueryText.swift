internal import Ingest

/// A query or form: `name=value&…`, percent-encoded, `+` for a space.
struct QueryText: Sendable {
    private var fields: [String: String] = [:]

    /// Throws for a malformed escape, bytes that are no UTF-8, NUL, and a name that occurs twice.
    init(_ text: String) throws {
        for field in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try Self.decode(parts[0])
            let value = parts.count > 1 ? try Self.decode(parts[1]) : ""
            guard fields.updateValue(value, forKey: name) == nil else {
                throw RequestFailure.invalid("the query names a field twice")
            }
        }
    }

    /// Nil when it is missing or empty.
    subscript(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// Throws when it is there and no number within `range`.
    func number(_ name: String, in range: ClosedRange<Int64> = 0...Int64.max) throws -> Int64? {
        guard let text = fields[name] else { return nil }
        guard let number = Self.number(text), range.contains(number) else {
            throw RequestFailure.invalid("\(name) must be a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func flag(_ name: String) throws -> Bool {
        switch fields[name] {
        case nil, "false": return false
        case "true": return true
        default: throw RequestFailure.invalid("\(name) must be true or false")
        }
    }

    /// How many items are wanted, 1 to 500.
    func limit(default standard: Int = 100) throws -> Int { Int(try number("limit", in: 1...500) ?? Int64(standard)) }

    /// Digits only: `Int64.init` takes a sign, too.
    static func number(_ text: some StringProtocol) -> Int64? {
        text.utf8.allSatisfy { (48...57).contains($0) } ? Int64(text) : nil
    }

    private static func decode(_ bytes: Substring.UTF8View.SubSequence) throws -> String {
        var decoded: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    throw RequestFailure.invalid("the query has a broken escape")
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        guard let text = String(validating: decoded, as: UTF8.self), !decoded.contains(0) else {
            throw RequestFailure.invalid("the query is not text in UTF-8")
        }
        return text
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
