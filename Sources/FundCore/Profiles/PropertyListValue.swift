internal import Foundation

/// A value of a property list (plist(5) of macOS).
enum PropertyListValue: Sendable, Hashable {
    case text(String)
    case number(Int)
    case flag(Bool)
    case data([UInt8])
    case list([PropertyListValue])
    case group([String: PropertyListValue])

    /// The list as XML, its keys in alphabetical order: equal bytes for equal values.
    var xml: [UInt8] {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .xml
        guard let data = try? encoder.encode(self) else { preconditionFailure("every value has a form in XML") }
        return Array(data)
    }

    /// One line of characters that XML 1.0 §2.2 allows: a name may hold any.
    private static func plain(_ text: String) -> String {
        text.label.replacing(scalar: "\u{FFFE}", with: "\u{FFFD}").replacing(scalar: "\u{FFFF}", with: "\u{FFFD}")
    }
}

extension PropertyListValue: Encodable {
    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(Self.plain(text))
        case .number(let number): try container.encode(number)
        case .flag(let flag): try container.encode(flag)
        case .data(let bytes): try container.encode(Data(bytes))
        case .list(let values): try container.encode(values)
        case .group(let values): try container.encode(values)
        }
    }
}

extension PropertyListValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
    init(stringLiteral value: String) { self = .text(value) }
    init(booleanLiteral value: Bool) { self = .flag(value) }
    init(integerLiteral value: Int) { self = .number(value) }
}
