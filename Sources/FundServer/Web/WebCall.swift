internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Ingest
internal import NIOCore

/// One request to the web API, and what it says.
struct WebCall: Sendable {
    let request: Request
    let context: ServerContext
    let parts: WebParts
    /// Set for every route that is not for anyone.
    var signedIn: SignedIn?

    init(request: Request, context: ServerContext, parts: WebParts) {
        self.request = request
        self.context = context
        self.parts = parts
    }

    var store: any ServerStore { parts.store }

    /// Who asks.
    var user: User {
        get throws {
            guard let signedIn else { throw RequestFailure.unauthenticated }
            return signedIn.user
        }
    }

    var userID: User.ID { get throws { try user.id } }

    var bearerToken: String? { BearerToken.of(request) }

    /// The number in the path under this name. What is no number names nothing.
    func id(_ name: String) throws -> Int64 {
        guard let text = context.parameters.get(name), let id = QueryText.number(text), id > 0 else {
            throw RequestFailure.notFound
        }
        return id
    }

    /// The fields of the query. Throws when it is malformed or names one twice.
    func query() throws -> QueryText { try QueryText(request.uri.query ?? "") }

    /// The body as JSON.
    func body<Body: Decodable>(_ type: Body.Type = Body.self) async throws -> Body {
        let contentType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard contentType.drop(while: { $0 == " " }) == "application/json" else {
            throw RequestFailure(
                .unsupportedMediaType, "not-json", "the body must be JSON, as Content-Type: application/json")
        }
        guard signedIn != nil else {
            return try await parts.logins.read(request, context, upTo: parts.limits.maxLoginBytes) {
                try Self.decode(type, Data($0))
            }
        }
        let bytes = try await request.body.collect(upTo: parts.limits.maxBodyBytes)
        return try Self.decode(type, Data(bytes.readableBytesView))
    }

    private static func decode<Body: Decodable>(_ type: Body.Type, _ bytes: Data) throws -> Body {
        do {
            return try JSONDecoder().decode(type, from: bytes)
        } catch let error as DecodingError {
            throw RequestFailure.invalid(describe(error))
        }
    }

    private static func describe(_ error: DecodingError) -> String {
        func path(_ context: DecodingError.Context, _ last: (any CodingKey)? = nil) -> String {
            (context.codingPath + (last.map { [$0] } ?? [])).map(\.stringValue).joined(separator: ".")
        }
        return switch error {
        case .keyNotFound(let key, let context): "\(path(context, key)) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context): "\(path(context)) has the wrong type"
        case .dataCorrupted(let context) where !context.codingPath.isEmpty: "\(path(context)) makes no sense"
        default: "the body is not JSON"
        }
    }

    // MARK: Answers

    func json(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], _ body: (inout JSONWriter) -> Void
    ) -> Response {
        var text = JSONWriter()
        text.object(body)
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes)))
    }

    var noContent: Response { Response(status: .noContent) }
}
