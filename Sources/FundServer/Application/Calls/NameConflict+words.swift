internal import FundHTTP
package import FundCore

extension NameConflict: Decodable {
    /// The words of `if_taken`; nil for other text.
    init?(word: String) {
        switch word.isShortWord ? word : "" {
        case "refuse": self = .refuse
        case "number": self = .number
        case "replace": self = .replace
        default: return nil
        }
    }

    /// The word of the field `if_taken`, `refuse` where there is none. Throws 400 for another word.
    init(_ query: QueryText) throws {
        guard let conflict = query.word("if_taken").map({ NameConflict(word: $0) }) ?? .refuse else {
            throw RequestError.invalid("if_taken must be refuse, number or replace")
        }
        self = conflict
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let conflict = Self(word: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no such word")
        }
        self = conflict
    }
}
