internal import Foundation

/// The JSON of servers: keys in snake case, times as whole seconds since 1970.
enum JSON {
    static func bytes(of value: some Encodable) throws(ClientError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Int64(clamped: date.timeIntervalSince1970.rounded()))
        }
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw ClientError(.invalid, "it cannot be written as JSON: \(error)")
        }
    }

    /// Throws `protocolViolation` for what is not the JSON of such a value.
    static func value<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws(ClientError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        do {
            return try decoder.decode(type, from: Data(bytes))
        } catch {
            throw ClientError(
                .protocolViolation,
                "the server's answer is not understood: \(reason(error)); is this the address of Fundmail, and does "
                    + "nothing else answer in its place?")
        }
    }

    private static func reason(_ error: any Error) -> String {
        func place(_ path: [any CodingKey]) -> String {
            let text = path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? "" : ".") + key.stringValue
            }
            return text.isEmpty ? "it" : "“\(text)”"
        }
        return switch error as? DecodingError {
        case .keyNotFound(let key, let context): "\(place(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context): "\(place(context.codingPath)) is of another type"
        case .valueNotFound(_, let context): "\(place(context.codingPath)) has no value"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "it is no JSON"
        case .dataCorrupted(let context): "\(place(context.codingPath)) makes no sense"
        default: "it cannot be read"
        }
    }
}
