internal import FundHTTP
internal import HTTPTypes
internal import Hummingbird
internal import FundCore

/// One request of an authenticated user.
struct DAVCall: Sendable {
    /// Bytes of an XML body. Property values of clients have some hundred bytes.
    static let maxBodyBytes = 64 * 1024
    static let maxQueryBodyBytes = 16 * 1024

    let request: Request
    let context: ServerContext
    let user: User
    let path: DAVPath
    let references: DAVDestination
    let conditions: IfHeader?

    init(_ request: Request, _ context: ServerContext, of user: User, authorities: [String]) throws {
        self.request = request
        self.context = context
        self.user = user
        let target = (request.head.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
        path = try DAVPath(encoded: Substring(target))
        references = DAVDestination(authorities: authorities + [request.head.authority].compactMap { $0 })
        conditions = try request.headers[.davIf].map { try IfHeader($0) }
    }

    var fields: HTTPFields { request.headers }

    /// Whether the request sets conditions.
    var isConditional: Bool { conditions != nil || Precondition.isAsked(by: fields) }

    var submittedTokens: Set<String> { conditions?.submittedTokens ?? [] }

    /// The paths of other resources whose state is a condition of the request.
    var conditionalPaths: [DAVPath] {
        (conditions?.lists ?? []).compactMap(\.resource).compactMap { try? references.path(of: $0) }
    }

    func destination() throws -> DAVPath {
        guard let field = fields[.destination] else { throw DAVError(.badRequest, "Destination is missing") }
        return try references.path(of: field)
    }

}

extension WebDAV {
    /// The whole XML body of a request; nil when it is empty. Throws 413, `MarkupError` for invalid XML, and
    /// `AuthenticationError` when the sender may not come in any more.
    func body(of call: DAVCall, atMost limit: Int) async throws -> MarkupElement? {
        var bytes: [UInt8] = []
        for try await part in call.request.body {
            guard bytes.count + part.readableBytes <= limit else {
                throw DAVError(.contentTooLarge, "the body is longer than \(limit) bytes")
            }
            bytes.append(contentsOf: part.readableBytesView)
        }
        try await requireSender(of: call)
        return bytes.isEmpty ? nil : try MarkupReader.read(bytes)
    }
}
