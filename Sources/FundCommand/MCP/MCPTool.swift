/// A tool that a model may call. All tools read.
struct MCPTool: Sendable {
    /// Name by which it is called.
    var name: String
    /// Name for people.
    var title: String
    /// For the model: what the tool gives.
    var description: String
    var parameters: [MCPParameter] = []
    /// Throws `MCPProblem`, or what `MCPProblem` can be made of.
    var run: @Sendable (MCPArguments) async throws -> MCPResult

    /// The tool as `tools/list` has it.
    var json: JSONValue {
        [
            "name": .string(name), "title": .string(title), "description": .string(description),
            "inputSchema": [
                "type": "object",
                "properties": .object(
                    Dictionary(parameters.map { ($0.name, $0.schema) }) { first, _ in first }),
                "required": .array(parameters.filter(\.isRequired).map { .string($0.name) }),
                "additionalProperties": false,
            ],
            "annotations": [
                "title": .string(title), "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true,
                "openWorldHint": false,
            ],
        ]
    }
}
