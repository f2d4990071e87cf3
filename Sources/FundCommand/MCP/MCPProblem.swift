/// Why a tool gives nothing: a sentence for the model, which may then do something else.
struct MCPProblem: Error, Hashable, Sendable {
    var message: String

    init(_ message: String) { self.message = message }
}
