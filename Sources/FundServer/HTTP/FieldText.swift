internal import Foundation

/// Named values of a query or a body, each name once.
struct FieldText: Equatable, Sendable {
    enum Problem: Error, Equatable {
        case duplicate(String)
        /// A number that cannot be read without rounding.
        case number(String)
        case malformed
    }

    private(set) var values: [String: String] = [:]

    init() {}

    /// Reads `application/x-www-form-urlencoded`: a body, or a query.
    init(form: String) throws(Problem) {
        for pair in form.utf8.split(separator: UInt8(ascii: "&")) {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            try add(Self.decode(halves[0]), halves.count > 1 ? Self.decode(halves[1]) : "")
        }
    }

    /// Reads one JSON object. Numbers and booleans become text; a member that is `null` counts as absent.
    init(json: [UInt8]) throws(Problem) {
        guard JSONNames.areHarmless(json),
            let object = try? JSONDecoder().decode([String: Scalar].self, from: Data(json))
        else {
            throw .malformed
        }
        do { try StrictJSON.check(json) } catch {
            switch error {
            case .duplicate(let name): throw .duplicate(name)
            case .number(let text): throw .number(text)
            case .encoding: throw .malformed
            }
        }
        values = object.compactMapValues(\.text)
    }

    /// Throws `duplicate` for a name that both hold.
    mutating func merge(_ other: FieldText) throws(Problem) {
        for (name, value) in other.values { try add(name, value) }
    }

    subscript(name: String) -> String? { values[name] }

    private mutating func add(_ name: String, _ value: String) throws(Problem) {
        // See `JSONNames`.
        guard JSONNames.isHarmless(name) else { throw .malformed }
        guard values.updateValue(value, forKey: name) == nil else { throw .duplicate(name) }
    }

    private static func decode(_ text: some Sequence<UInt8>) throws(Problem) -> String {
        let spaced = text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentEncoding.decoded(spaced), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed
        }
        return text
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
