internal import Foundation
internal import HTTPTypes

/// One call of the web API, as it is made as often as it is tried.
struct Call: Sendable {
    /// A response that does not come for so long never comes.
    static let idleTimeout = Duration.seconds(60)
    /// For calls that copy or delete a large folder, and for the end of an upload: the server works for a while before
    /// it answers.
    static let longTimeout = Duration.seconds(600)

    var method: HTTPRequest.Method
    /// Without the query; what needs it is percent-encoded.
    var path: String
    var query: [(name: String, value: String)] = []
    var headers: HTTPFields = [:]
    var body = RequestBody.none
    /// The server does the same once more when it gets it twice.
    var isRepeatable: Bool
    var idleTimeout = Call.idleTimeout

    init(_ method: HTTPRequest.Method, _ path: String, isRepeatable: Bool = false) {
        self.method = method
        self.path = path
        self.isRepeatable = isRepeatable
    }

    static func get(_ path: String, _ query: [(name: String, value: String?)] = []) -> Call {
        var call = Call(.get, path, isRepeatable: true)
        call.query = query.compactMap { name, value in value.map { (name, $0) } }
        return call
    }

    /// Creates a call with a body of JSON.
    static func sending(
        _ method: HTTPRequest.Method, _ path: String, _ body: some Encodable, isRepeatable: Bool = false
    ) throws(ClientError) -> Call {
        var call = Call(method, path, isRepeatable: isRepeatable)
        call.body = .bytes(try JSON.bytes(of: body))
        call.headers[.contentType] = "application/json"
        return call
    }

    /// Adds the condition that the thing is still what it was.
    func ifMatch(_ tag: EntityTag?) -> Call {
        guard let tag else { return self }
        var call = self
        call.headers[.ifMatch] = tag.text
        call.isRepeatable = true
        return call
    }

    func patiently() -> Call {
        var call = self
        call.idleTimeout = Self.longTimeout
        return call
    }

    /// Path and query as they are sent.
    var target: String { Self.target(path, query) }

    static func target(_ path: String, _ query: [(name: String, value: String)]) -> String {
        guard !query.isEmpty else { return path }
        return path + "?" + query.map { "\($0.name)=\($0.value.percentEncoded)" }.joined(separator: "&")
    }
}

extension String {
    /// Only the unreserved characters of RFC 3986 §2.3 stay as they are.
    private static let unreserved = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    var percentEncoded: String { addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? "" }
}
