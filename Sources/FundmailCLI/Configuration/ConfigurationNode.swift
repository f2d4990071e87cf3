import FundCore
import Ingest
import Yams
import Terminal

/// A value of the configuration file with the path of keys that leads to it, so that every mistake can be named with
/// its place. Nothing is converted silently: a number where a word belongs is an error, not a word.
struct ConfigurationNode {
    let node: Node
    let key: String
    let file: String

    static let maxFileBytes = 1_048_576

    /// Reads a whole file. Throws `ConfigurationError` for text that is no YAML.
    static func parse(_ text: String, file: String) throws -> ConfigurationNode {
        do {
            let node = try Yams.compose(yaml: text) ?? Node([] as [(Node, Node)])
            return ConfigurationNode(node: node, key: "", file: file)
        } catch let error as YamlError {
            throw Self.error(for: error, file: file)
        }
    }

    /// The values of a mapping that may hold only `keys`.
    func mapping(_ keys: [String]) throws -> [String: ConfigurationNode] {
        guard case .mapping(let mapping) = node else {
            // An empty section leaves every default.
            if isNull { return [:] }
            throw error("must be a group of keys: \(keys.joined(separator: ", "))")
        }
        var values: [String: ConfigurationNode] = [:]
        for (name, value) in mapping {
            let text = name.scalar?.string ?? ""
            guard keys.contains(text) else {
                var problem = "unknown key \"\(text)\""
                if let near = NearestName.of(text, among: keys) { problem += "; did you mean \"\(near)\"?" }
                problem += " (known here: \(keys.joined(separator: ", ")))"
                throw ConfigurationError(
                    file: file, line: name.mark?.line, column: name.mark?.column, key: key, problem: problem)
            }
            values[text] = ConfigurationNode(node: value, key: key.isEmpty ? text : "\(key).\(text)", file: file)
        }
        return values
    }

    var isNull: Bool {
        guard let scalar = node.scalar, scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    var isMapping: Bool { node.mapping != nil }

    func list() throws -> [ConfigurationNode] {
        if isNull { return [] }
        guard let items = node.sequence else { throw error("must be a list") }
        return items.enumerated().map { ConfigurationNode(node: $1, key: "\(key)[\($0)]", file: file) }
    }

    /// A text, possibly empty.
    func string() throws -> String {
        guard let scalar = node.scalar, !isNull else { throw error("must be a text") }
        return scalar.string
    }

    /// A text that is not empty.
    func text() throws -> String {
        let value = try string()
        guard !value.isEmpty else { throw error("must not be empty") }
        return value
    }

    func boolean() throws -> Bool {
        switch try string().lowercased() {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default: throw error("must be true or false, not \"\(try string())\"")
        }
    }

    func integer(in range: ClosedRange<Int>) throws -> Int {
        guard let number = Int(try string()) else { throw error("must be a whole number, not \"\(try string())\"") }
        return try checked(number, in: range, unit: "")
    }

    /// Bytes, as `100MB`; see `Quantity.bytes`.
    func byteCount(in range: ClosedRange<Int64>) throws -> Int64 {
        guard let bytes = Quantity.bytes(try string()) else {
            throw error("must be a size such as 100MB or 2GB, not \"\(try string())\"")
        }
        return try checked(bytes, in: range, unit: " bytes")
    }

    /// Seconds, as `60s`; see `Quantity.seconds`.
    func seconds(in range: ClosedRange<Int>) throws -> Int {
        guard let seconds = Quantity.seconds(try string()) else {
            throw error("must be a time such as 60s, 5m or 1h, not \"\(try string())\"")
        }
        return try checked(seconds, in: range, unit: " seconds")
    }

    private func checked<Number>(_ number: Number, in range: ClosedRange<Number>, unit: String) throws -> Number {
        guard range.contains(number) else {
            throw error("must be between \(range.lowerBound) and \(range.upperBound)\(unit), not \(number)")
        }
        return number
    }

    func error(_ problem: String) -> ConfigurationError {
        ConfigurationError(file: file, line: node.mark?.line, column: node.mark?.column, key: key, problem: problem)
    }

    private static func error(for error: YamlError, file: String) -> ConfigurationError {
        func at(_ mark: Mark?, _ problem: String) -> ConfigurationError {
            ConfigurationError(file: file, line: mark?.line, column: mark?.column, key: "", problem: problem)
        }
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _):
            // `after: move: Processed` on one line is what people write first.
            let hint =
                problem.contains("mapping values are not allowed")
                ? "; put braces around a key inside a value, as in `after: {move: Processed}`" : ""
            return at(mark, "this is not YAML: \(problem)\(hint)")
        case .composer(_, let problem, let mark, _): return at(mark, "this is not YAML: \(problem)")
        case .duplicatedKeysInMapping(let keys, let context):
            return at(context.mark, "this key is given twice: \(keys.joined(separator: ", "))")
        case .reader(let problem, _, _, _): return at(nil, "this is not text in UTF-8: \(problem)")
        default: return at(nil, "this is not YAML")
        }
    }
}

/// A mistake in the configuration file, with its place as editors understand it.
struct ConfigurationError: OperationalError, Sendable, Hashable, CustomStringConvertible {
    var file: String
    /// Counted from 1; nil when the file as a whole is meant.
    var line: Int?
    var column: Int?
    /// The path of keys, `mailboxes[0].trust.require`; empty at the top.
    var key: String
    var problem: String

    var condition: ErrorCondition { .configuration }
    var isTemporary: Bool { false }

    var description: String {
        var place = file
        if let line { place += ":\(line)" }
        if let line = column, self.line != nil { place += ":\(line)" }
        return key.isEmpty ? "\(place): \(problem)" : "\(place): \(key): \(problem)"
    }
}
