internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import FundCore
internal import NIOCore

/// One request to the web API.
struct WebCall: Sendable {
    let request: Request
    let context: ServerContext
    let parts: WebParts
    /// Set for every route that needs authentication.
    var signedIn: SignedIn?

    init(request: Request, context: ServerContext, parts: WebParts) {
        self.request = request
        self.context = context
        self.parts = parts
    }

    var store: ServerStore { parts.store }

    /// The authenticated user.
    var user: User {
        get throws {
            guard let signedIn else { throw RequestError.unauthenticated }
            return signedIn.user
        }
    }

    var userID: User.ID { get throws { try user.id } }

    var bearerToken: String? { BearerToken.of(request) }

    /// The number of this path parameter. Throws 404 for other text.
    func id<Entity>(_ name: String) throws -> ID<Entity> {
        guard let text = context.parameters.get(name), let id = QueryText.number(text), id > 0 else {
            throw RequestError.notFound
        }
        return ID(id)
    }

    /// The item of this kind whose number stands in the path as `id`.
    func item(_ kind: ItemKind) throws -> LibraryItemID {
        let id: ID<LibraryItem> = try id("id")
        return LibraryItemID(kind, id.rawValue)
    }

    /// The fields of the query. Throws 400 when it is malformed or names a field twice.
    func query() throws -> QueryText { try QueryText(request.uri.query ?? "") }

    /// The body as JSON.
    func body<Body: Decodable>(_ type: Body.Type = Body.self) async throws -> Body {
        let contentType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard contentType.drop(while: { $0 == " " }) == "application/json" else {
            throw RequestError(
                .unsupportedMediaType, "not-json", "the body must be JSON, as Content-Type: application/json")
        }
        guard signedIn != nil else {
            return try await parts.logins.read(request, context, upTo: parts.limits.maxLoginBytes) {
                try Self.decode(type, $0)
            }
        }
        let bytes = try await request.body.collect(upTo: parts.limits.maxBodyBytes)
        return try Self.decode(type, Array(bytes.readableBytesView))
    }

    /// The members of bodies that are whole numbers: ids.
    private static let numberFields: Set = ["folder", "fund", "parent"]

    private static func decode<Body: Decodable>(_ type: Body.Type, _ bytes: [UInt8]) throws -> Body {
        guard !bytes.contains(0) else { throw FieldError.encoding }
        guard JSONNames.areHarmless(bytes) else {
            throw RequestError.invalid("a name in the body is too long, or holds too many combining marks in a row")
        }
        do {
            let body = try JSONDecoder().decode(type, from: Data(bytes))
            try StrictJSON.check(bytes, numbers: numberFields)
            return body
        } catch let error as DecodingError {
            throw RequestError.invalid(describe(error))
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

    // MARK: Conditions

    /// The condition that the request's fields (RFC 9110 §13.1) set for changing an item; nil without such fields.
    var condition: ItemCondition? {
        guard Precondition.isAsked(by: request.headers) else { return nil }
        let headers = request.headers
        return { state in
            Precondition(headers, entityTag: state.entityTag, modifiedAt: state.modifiedAt) == .proceed
        }
    }

    // MARK: Answers

    /// One item; for `GET` also 304 or 412, as its conditional fields ask.
    func representation(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], of state: ItemState
    ) throws -> Response {
        try representation(status, headers: headers, modifiedAt: state.modifiedAt) { state.write(to: &$0) }
    }

    /// The same for other resources than items.
    func representation(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], modifiedAt: Timestamp? = nil,
        _ fill: (inout JSONWriter) -> Void
    ) throws -> Response {
        var headers = headers
        let tag = EntityTag.text(fill)
        headers[.eTag] = tag
        guard request.method == .get || request.method == .head else { return json(status, headers: headers, fill) }
        switch Precondition(request.headers, entityTag: tag, modifiedAt: modifiedAt, isReading: true) {
        case .proceed: return json(status, headers: headers, fill)
        case .failed: throw RequestError.preconditionFailed
        case .notModified:
            headers[.cacheControl] = "no-store"
            return Response(status: .notModified, headers: headers)
        }
    }

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
