/// Why a request has no result (JSON-RPC 2.0 §5.1).
struct RPCError: Error, Hashable, Sendable {
    /// Number of the kind: those of JSON-RPC, and -32002 of the Model Context Protocol.
    var code: Int64
    /// For people, in English.
    var message: String

    /// The line is no JSON.
    static func parse(_ message: String) -> RPCError { RPCError(code: -32700, message: message) }
    /// The JSON is no request, or not one of this moment.
    static func invalidRequest(_ message: String) -> RPCError { RPCError(code: -32600, message: message) }
    static func methodNotFound(_ method: String) -> RPCError {
        RPCError(code: -32601, message: "There is no method \(method.prefix(maxShown)).")
    }
    static func invalidParameters(_ message: String) -> RPCError { RPCError(code: -32602, message: message) }
    static func resourceNotFound(_ message: String) -> RPCError { RPCError(code: -32002, message: message) }
    /// The server could not do it.
    static func failed(_ message: String) -> RPCError { RPCError(code: -32603, message: message) }

    /// Limit of a name in an error, in characters.
    private static let maxShown = 100

    var json: JSONValue { ["code": .integer(code), "message": .string(message)] }
}
