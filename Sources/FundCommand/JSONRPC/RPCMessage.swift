/// Id of a request, which its client chose: a string or a whole number.
enum RPCID: Hashable, Sendable {
    case integer(Int64)
    case string(String)

    /// Nil for what cannot be an id.
    init?(_ value: JSONValue) {
        switch value {
        case .integer(let number): self = .integer(number)
        case .string(let text): self = .string(text)
        default: return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .string(let text): .string(text)
        }
    }
}

/// One message of a client (JSON-RPC 2.0 §4).
enum RPCMessage: Hashable, Sendable {
    case request(id: RPCID, method: String, parameters: JSONValue)
    case notification(method: String, parameters: JSONValue)
    /// Answer to a request; this server makes none.
    case response
    /// Not a message; the id stands there if it can be told.
    case invalid(id: RPCID?, RPCError)

    init(_ value: JSONValue) {
        guard case .object(let members) = value else {
            self = .invalid(id: nil, .invalidRequest("A message is a JSON object."))
            return
        }
        let id = members["id"].flatMap(RPCID.init)
        guard members["jsonrpc"] == "2.0" else {
            self = .invalid(id: id, .invalidRequest("“jsonrpc” must be \"2.0\"."))
            return
        }
        guard let method = members["method"] else {
            let isResponse = members["result"] != nil || members["error"] != nil
            self = isResponse ? .response : .invalid(id: id, .invalidRequest("“method” is missing."))
            return
        }
        guard case .string(let method) = method else {
            self = .invalid(id: id, .invalidRequest("“method” must be a string."))
            return
        }
        let parameters = members["params"] ?? .object([:])
        guard case .object = parameters else {
            let error = RPCError.invalidParameters("“params” must be an object.")
            self = members["id"] == nil ? .notification(method: method, parameters: [:]) : .invalid(id: id, error)
            return
        }
        guard let given = members["id"] else {
            self = .notification(method: method, parameters: parameters)
            return
        }
        guard let id = RPCID(given) else {
            self = .invalid(id: nil, .invalidRequest("“id” must be a string or a whole number."))
            return
        }
        self = .request(id: id, method: method, parameters: parameters)
    }

    /// A successful answer.
    static func answer(_ result: JSONValue, to id: RPCID) -> JSONValue {
        ["jsonrpc": "2.0", "id": id.json, "result": result]
    }

    /// An answer that says why there is no result.
    /// - Parameter id: nil where the request could not be read.
    static func answer(_ error: RPCError, to id: RPCID?) -> JSONValue {
        ["jsonrpc": "2.0", "id": id?.json ?? .null, "error": error.json]
    }
}
