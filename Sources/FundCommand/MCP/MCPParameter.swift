/// A parameter of a tool: the schema that clients get, and the check of what they send.
struct MCPParameter: Sendable {
    /// Values that it takes.
    enum Kind: Sendable, Hashable {
        case integer(ClosedRange<Int64>)
        /// Not empty, with a limit of characters.
        case text(maxLength: Int)
        case choice([String])
    }

    /// Longest text that a tool takes, in characters.
    static let maxTextLength = 1000
    /// Ids are numbers of SQLite, from 1 on.
    static let ids: ClosedRange<Int64> = 1...Int64.max

    var name: String
    var kind: Kind
    /// For the model.
    var about: String
    var isRequired = false

    static func id(_ name: String, _ about: String, isRequired: Bool = false) -> MCPParameter {
        MCPParameter(name: name, kind: .integer(ids), about: about, isRequired: isRequired)
    }

    static func integer(_ name: String, _ range: ClosedRange<Int64>, _ about: String) -> MCPParameter {
        MCPParameter(name: name, kind: .integer(range), about: about)
    }

    static func text(_ name: String, _ about: String, isRequired: Bool = false) -> MCPParameter {
        MCPParameter(name: name, kind: .text(maxLength: maxTextLength), about: about, isRequired: isRequired)
    }

    static func choice(_ name: String, _ values: [String], _ about: String, isRequired: Bool = false) -> MCPParameter {
        MCPParameter(name: name, kind: .choice(values), about: about, isRequired: isRequired)
    }

    /// JSON Schema of the values.
    var schema: JSONValue {
        var members: [String: JSONValue] = ["description": .string(about)]
        switch kind {
        case .integer(let range):
            members["type"] = "integer"
            members["minimum"] = .integer(range.lowerBound)
            // 2^63 - 1 is no number that all clients can read.
            if range.upperBound != .max { members["maximum"] = .integer(range.upperBound) }
        case .text(let maxLength):
            members["type"] = "string"
            members["minLength"] = 1
            members["maxLength"] = .integer(Int64(maxLength))
        case .choice(let values):
            members["type"] = "string"
            members["enum"] = .array(values.map { .string($0) })
        }
        return .object(members)
    }

    /// Throws `MCPProblem` for a value that it does not take.
    func check(_ value: JSONValue) throws(MCPProblem) {
        switch (kind, value) {
        case (.integer(let range), .integer(let number)) where range.contains(number): return
        case (.text(let maxLength), .string(let text)) where (1...maxLength).contains(text.unicodeScalars.count): return
        case (.choice(let values), .string(let text)) where values.contains(text): return
        default: throw MCPProblem("“\(name)” must be \(words).")
        }
    }

    private var words: String {
        switch kind {
        case .integer(let range) where range.upperBound == .max: "a whole number, \(range.lowerBound) or more"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .text(let maxLength): "text of 1 to \(maxLength) characters"
        case .choice(let values): "one of \(values.joined(separator: ", "))"
        }
    }
}
