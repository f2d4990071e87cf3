internal import Foundation

/// Named values of a query or a body: what a client says about one call. Each name once.
struct FieldText: Equatable, Sendable {
    enum Problem: Error, Equatable {
        case duplicate(String)
        case malformed
    }

    private(set) var values: [String: String] = [:]

    init() {}

    /// `application/x-www-form-urlencoded`, also as a query.
    init(form: String) throws(Problem) {
        for pair in form.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            try add(Self.decode(halves[0]), halves.count > 1 ? Self.decode(halves[1]) : "")
        }
    }

    /// One JSON object; numbers and flags as their text, `null` as if the name were not there.
    init(json: [UInt8]) throws(Problem) {
        guard let object = try? JSONDecoder().decode([String: Scalar].self, from: Data(json)) else {
            throw .malformed
        }
        values = object.compactMapValues(\.text)
    }

    /// A name that stands in both is a duplicate.
    mutating func merge(_ other: FieldText) throws(Problem) {
        for (name, value) in other.values { try add(name, value) }
    }

    subscript(name: String) -> String? { values[name] }

    private mutating func add(_ name: String, _ value: String) throws(Problem) {
        guard values.updateValue(value, forKey: name) == nil else { throw .duplicate(name) }
    }

    private static func decode(_ text: some Sequence<UInt8>) throws(Problem) -> String {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(32)
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(hexDigit), let low = iterator.next().flatMap(hexDigit) else {
                    throw .malformed
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformed }
        return text
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }

    private struct Scalar: Decodable {
        var text: String?

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                text = nil
            } else if let value = try? container.decode(String.self) {
                text = value
            } else if let value = try? container.decode(Int64.self) {
                text = String(value)
            } else if let value = try? container.decode(Bool.self) {
                text = String(value)
            } else {
                text = String(try container.decode(Double.self))
            }
        }
    }
}
