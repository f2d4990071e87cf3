extension DecodingError {
    /// A sentence for those who wrote a body: the member as they wrote it, `addresses[0].value`, and what is wrong with
    /// it. No type of this program is named.
    var words: String {
        switch self {
        case .keyNotFound(let key, let context): "\(Self.place(context.codingPath + [key])) is missing"
        case .typeMismatch(let type, let context): "\(Self.place(context.codingPath)) must be \(Self.kind(of: type))"
        case .valueNotFound(let type, let context):
            "\(Self.place(context.codingPath)) is null and must be \(Self.kind(of: type))"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty:
            "\(Self.place(context.codingPath)) makes no sense"
        default: "the body is not JSON"
        }
    }

    /// Whether it names no member.
    var isOfWholeBody: Bool { if case .dataCorrupted(let context) = self { context.codingPath.isEmpty } else { false } }

    private static func place(_ path: [any CodingKey]) -> String {
        let text = path.reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text.isEmpty ? "the body" : text
    }

    /// The kind of value of JSON that is read as a type.
    private static func kind(of type: any Any.Type) -> String {
        switch type {
        case is String.Type: "a text"
        case is Bool.Type: "true or false"
        case is any FixedWidthInteger.Type: "a whole number"
        case is any BinaryFloatingPoint.Type: "a number"
        case is any DictionaryValue.Type: "an object"
        case is any Collection.Type: "a list"
        default: "an object"
        }
    }
}

/// A dictionary, which stands for an object of JSON.
private protocol DictionaryValue {}

extension Dictionary: DictionaryValue {}
