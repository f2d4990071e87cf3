internal import Foundation
internal import FundCore

/// Named values of a query or a body, each name once.
package struct FieldText: Equatable, Sendable {
    /// Fields of one form: a thousand chosen things, and what goes with them.
    package static let maxFields = 1024

    package private(set) var values: [String: String] = [:]

    package init() {}

    /// Reads `application/x-www-form-urlencoded`: a body, or a query.
    package init(form: String) throws(FieldError) { try self.init(formBytes: Array(form.utf8)) }

    /// Reads a form. Its fields are counted before the first is kept: each takes memory and time.
    package init(formBytes bytes: [UInt8]) throws(FieldError) {
        guard Self.hasFewFields(bytes) else { throw .tooMany }
        var start = bytes.startIndex
        while start < bytes.endIndex {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "&")) ?? bytes.endIndex
            let pair = bytes[start..<end]
            start = min(end + 1, bytes.endIndex)
            guard !pair.isEmpty else { continue }
            let mark = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            try add(Self.decode(pair[..<mark]), Self.decode(pair[mark...].dropFirst()))
        }
    }

    private static func hasFewFields(_ bytes: [UInt8]) -> Bool {
        var (count, last) = (0, UInt8(ascii: "&"))
        for byte in bytes {
            if last == UInt8(ascii: "&"), byte != UInt8(ascii: "&") { count += 1 }
            guard count <= maxFields else { return false }
            last = byte
        }
        return true
    }

    /// Reads one JSON object. Numbers and booleans become text; a member that is `null` counts as absent.
    package init(json: [UInt8]) throws(FieldError) {
        guard JSONNames.areHarmless(json),
            let object = try? JSONDecoder().decode([String: Scalar?].self, from: Data(json))
        else { throw .malformed }
        try StrictJSON.check(json)
        values = object.compactMapValues { $0?.text }
    }

    /// Throws `duplicate` for a name that both hold.
    package mutating func merge(_ other: FieldText) throws(FieldError) {
        for (name, value) in other.values { try add(name, value) }
    }

    package subscript(name: String) -> String? { values[name] }

    /// These fields with long values in the Stream-Safe Text Format, which are compared and split in linear time. Short
    /// values, as passwords are, stay as they were sent, and so do those of the names.
    package func withoutLongRuns(except names: Set<String>) -> FieldText {
        var fields = self
        for (name, value) in values where value.utf8.count > Self.maxShortBytes && !names.contains(name) {
            fields.values[name] = value.streamSafe
        }
        return fields
    }

    private static let maxShortBytes = 1024

    private mutating func add(_ name: String, _ value: String) throws(FieldError) {
        // See `JSONNames`.
        guard JSONNames.isHarmless(name) else { throw .malformed }
        guard values.updateValue(value, forKey: name) == nil else { throw .duplicate(name) }
    }

    private static func decode(_ text: some Sequence<UInt8>) throws(FieldError) -> String {
        let spaced = text.lazy.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        guard let bytes = PercentCoding.decoded(spaced), let text = String(validating: bytes, as: UTF8.self) else {
            throw .malformed
        }
        return text
    }

    private struct Scalar: Decodable {
        var text: String

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let value = try? container.decode(String.self) {
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

/// Why the fields of a body or a query cannot be read.
package enum FieldError: Error, Equatable {
    /// The name, of which two readers would take different values.
    case duplicate(String)
    /// More fields than `FieldText.maxFields`.
    case tooMany
    /// A number that cannot be read without rounding, cut off.
    case number(String)
    /// Not in UTF-8, as RFC 8259 §8.1 asks.
    case encoding
    case malformed
}

extension FieldError: RequestErrorConvertible {
    package var requestError: RequestError {
        switch self {
        case .duplicate(let name): .invalid("\(name) stands twice")
        case .tooMany: .invalid("there are more than \(FieldText.maxFields) fields")
        case .number(let text): .invalid("\(text) is too large for a number here")
        case .encoding: .invalid("the body is not JSON in UTF-8")
        case .malformed: .invalid("the body cannot be read")
        }
    }
}

/// Keywords from clients. Swift compares text in quadratic time for long runs of combining marks, once for each keyword
/// of a list: a body of 300 KB took 40 s.
extension String {
    /// Longer than every keyword of the server.
    private static let maxWordBytes = 64

    package var isShortWord: Bool { utf8.count <= Self.maxWordBytes }
}

extension RawRepresentable<String> {
    /// Use it for text from clients instead of `init(rawValue:)`.
    package init?(word: String) {
        guard word.isShortWord else { return nil }
        self.init(rawValue: word)
    }
}
