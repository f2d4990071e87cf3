/// The things that a server of the Model Context Protocol offers. The protocol itself is `MCPServer`'s.
protocol MCPService: Sendable {
    /// Text for the model that uses the server.
    var instructions: String { get }
    /// All tools.
    var tools: [MCPTool] { get }
    /// A page of the resources that can be listed. Throws `RPCError` for a cursor that is none of this server's.
    func resources(after cursor: String?) async throws -> MCPResourcePage
    /// Forms of the addresses of all resources (RFC 6570).
    var resourceTemplates: [JSONValue] { get }
    /// The contents at an address. Throws `RPCError`.
    func content(at address: String) async throws -> [JSONValue]
}

/// A page of resources.
struct MCPResourcePage: Sendable {
    var resources: [JSONValue]
    /// Cursor of the page that follows; nil on the last one.
    var next: String?
}
