/// Arguments of one call of a tool, each of which is a value that its parameter takes.
struct MCPArguments: Sendable {
    private let values: [String: JSONValue]

    /// A member that is null counts as one that is not there. Throws `MCPProblem`.
    init(_ value: JSONValue, for parameters: [MCPParameter]) throws(MCPProblem) {
        guard case .object(let members) = value else { throw MCPProblem("The arguments must be an object.") }
        let values = members.filter { $0.value != .null }
        for name in values.keys.sorted() where !parameters.contains(where: { $0.name == name }) {
            let known = parameters.map(\.name).joined(separator: ", ")
            let name = name.prefix(100)
            throw MCPProblem("There is no argument “\(name)”; this tool takes \(known.isEmpty ? "none" : known).")
        }
        for parameter in parameters {
            if let value = values[parameter.name] {
                try parameter.check(value)
            } else if parameter.isRequired {
                throw MCPProblem("“\(parameter.name)” is missing.")
            }
        }
        self.values = values
    }

    func integer(_ name: String) -> Int64? { if case .integer(let number)? = values[name] { number } else { nil } }
    func text(_ name: String) -> String? { values[name]?.text }

    /// For a parameter that is required.
    func id(_ name: String) throws(MCPProblem) -> Int64 {
        guard let id = integer(name) else { throw MCPProblem("“\(name)” is missing.") }
        return id
    }
}
