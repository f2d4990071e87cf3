internal import HTTPTypes

/// The `If` field (RFC 4918 §10.4): lists of conditions, of which one must hold.
struct IfHeader: Hashable, Sendable {
    enum Check: Hashable, Sendable {
        /// A lock token or another state token; `DAV:no-lock` never matches.
        case token(String)
        /// With its quotes, and `W/` when it is weak.
        case entityTag(String)
    }

    struct Condition: Hashable, Sendable {
        var isNegated: Bool
        var check: Check
    }

    /// All of its conditions must hold.
    struct List: Hashable, Sendable {
        /// The URL that it is about; nil for that of the request.
        var resource: String?
        var conditions: [Condition]
    }

    /// Clients send one or two.
    static let maxConditions = 64

    var lists: [List] = []

    /// Tokens count as submitted also after `Not` (RFC 4918 §10.4.8).
    var submittedTokens: Set<String> {
        Set(
            lists.flatMap(\.conditions).compactMap {
                if case .token(let token) = $0.check { token } else { nil }
            })
    }

    /// Throws 400 for text outside of the grammar.
    init(_ field: String) throws {
        var rest = Substring(field)
        var resource: String?
        var isTagged: Bool?
        var conditionCount = 0
        Self.skipSpace(&rest)
        // Clients that send the token alone mean a list with it.
        if let token = Self.token(ofWhole: rest) {
            lists = [List(conditions: [Condition(isNegated: false, check: .token(token))])]
            return
        }
        while !rest.isEmpty {
            if rest.first == "<" {
                guard isTagged != false else { throw Self.malformed }
                isTagged = true
                resource = try Self.take("<", ">", from: &rest)
                Self.skipSpace(&rest)
                guard rest.first == "(" else { throw Self.malformed }
            } else if isTagged == nil {
                isTagged = false
            }
            let list = List(resource: resource, conditions: try Self.conditions(from: &rest))
            conditionCount += list.conditions.count
            guard conditionCount <= Self.maxConditions else {
                throw DAVError(.badRequest, "the If field has too many conditions")
            }
            lists.append(list)
            Self.skipSpace(&rest)
        }
        guard !lists.isEmpty else { throw Self.malformed }
    }

    private static let malformed = DAVError(.badRequest, "the If field is not as RFC 4918 has it")

    private static func conditions(from rest: inout Substring) throws -> [Condition] {
        guard rest.popFirst() == "(" else { throw malformed }
        var conditions: [Condition] = []
        while true {
            skipSpace(&rest)
            if rest.first == ")" {
                rest.removeFirst()
                guard !conditions.isEmpty else { throw malformed }
                return conditions
            }
            let isNegated = rest.prefix(3).lowercased() == "not"
            if isNegated {
                rest.removeFirst(3)
                skipSpace(&rest)
            }
            switch rest.first {
            case "<": conditions.append(Condition(isNegated: isNegated, check: .token(try take("<", ">", from: &rest))))
            case "[":
                let tag = try take("[", "]", from: &rest)
                guard tag.hasSuffix("\""), tag.hasPrefix("\"") || tag.hasPrefix("W/\"") else { throw malformed }
                conditions.append(Condition(isNegated: isNegated, check: .entityTag(tag)))
            default:
                let token = String(rest.prefix { !" \t()<>[]".contains($0) })
                guard DAVFields.isToken(token) else { throw malformed }
                rest = rest.dropFirst(token.count)
                conditions.append(Condition(isNegated: isNegated, check: .token(token)))
            }
        }
    }

    /// The token that is all of a field, with its angle brackets or without them. A resource never stands alone.
    private static func token(ofWhole field: Substring) -> String? {
        var text = field
        while text.last == " " || text.last == "\t" { text.removeLast() }
        if text.first == "<", text.last == ">" { text = text.dropFirst().dropLast() }
        return DAVFields.isToken(text) ? String(text) : nil
    }

    private static func take(_ open: Character, _ close: Character, from rest: inout Substring) throws -> String {
        guard rest.popFirst() == open, let end = rest.firstIndex(of: close) else { throw malformed }
        let text = String(rest[..<end])
        rest = rest[rest.index(after: end)...]
        guard !text.isEmpty else { throw malformed }
        return text
    }

    private static func skipSpace(_ rest: inout Substring) { rest = rest.drop { $0 == " " || $0 == "\t" } }
}
