internal import FundHTTP
internal import Foundation
internal import Hummingbird
internal import FundCore
internal import Ingest

/// One request to the web API.
struct WebCall: UserCall {
    let request: Request
    let context: ServerContext
    let parts: ApplicationParts
    /// Whether the path has a representation: `GET` is one of its methods.
    let isReadable: Bool
    /// Who may ask for its route.
    let access: RouteAccess
    /// Set for every route that needs authentication.
    var signedIn: SignedIn?

    func authenticate() async throws -> SignedIn {
        guard let credential = WebCredential(request.headers) else { throw RequestError.unauthenticated }
        if credential.isLasting { try context.requireSecrecy() }
        return try await credential.signedIn(parts.authenticator)
    }

    /// The body as JSON. Throws also when the sender may not ask for this any more once it has come.
    func body<Body: Decodable & Sendable>(_ type: Body.Type = Body.self) async throws -> Body {
        let contentType = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard contentType.drop(while: { $0 == " " }) == "application/json" else {
            throw RequestError(
                .unsupportedMediaType, "not-json", "the body must be JSON, as Content-Type: application/json")
        }
        guard signedIn != nil else {
            return try await context.readUnproven(request, in: parts.logins, upTo: parts.limits.maxLoginBytes) {
                try Self.decode(type, $0)
            }
        }
        return try await parts.bodies.read(request, of: try userID, upTo: parts.limits.maxBodyBytes) { bytes in
            try await requireSender(for: access)
            let body = try await parts.readers.read(bytes.count, of: context.origin) { try Self.decode(type, bytes) }
            try await context.reserveResponse()
            // Most answers give back what the body has: where there is no room for that, nothing may be changed.
            try await context.reserveResponse(of: bytes.count)
            return body
        }
    }

    /// The members of bodies that are whole numbers: ids.
    private static let numberFields: Set = [
        "drive", "feed", "folder", "fund", "latest_email", "like", "owner", "parent", "unless_revision", "until",
        "up_to",
    ]

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
            // A number that does not fit where it stands is no reason to call the body no JSON, as the decoder does.
            if error.isOfWholeBody, (try? JSONSerialization.jsonObject(with: Data(bytes))) != nil {
                try StrictJSON.check(bytes, numbers: numberFields)
                throw RequestError.invalid("a number in the body does not fit where it stands")
            }
            throw RequestError.invalid(error.words)
        }
    }

    // MARK: Conditions

    /// The condition that the request's fields (RFC 9110 §13.1) set for changing an item; nil without such fields.
    var condition: ItemCondition? {
        guard Precondition.isAsked(by: request.headers) else { return nil }
        let headers = request.headers
        return { state in Precondition(headers, entityTag: state.entityTag, modifiedAt: state.modifiedAt) == .proceed }
    }

    /// Checks the conditions on a route without conditions of its own. What it changes has no tag: of the conditions on
    /// tags only `*` can hold.
    private func checkConditions(on route: WebRoute) throws {
        guard route.method != .get, !route.looksAtConditions else { return }
        let outcome = Precondition(request.headers, entityTag: nil, modifiedAt: nil, isThere: isReadable)
        guard outcome == .proceed else { throw RequestError.preconditionFailed }
    }

    // MARK: Answers

    /// One item; for `GET` also 304 or 412, as its conditional fields ask.
    func representation(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], of state: ItemState,
        untagged: (inout JSONWriter) -> Void = { _ in }
    ) throws -> Response {
        try representation(
            status, headers: headers, modifiedAt: state.modifiedAt, untagged: untagged
        ) { state.write(to: &$0) }
    }

    /// One resource that is no item, as above.
    /// - Parameter untagged: writes members that the tag does not cover.
    func representation(
        _ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], modifiedAt: Timestamp? = nil,
        untagged: (inout JSONWriter) -> Void = { _ in }, _ fill: (inout JSONWriter) -> Void
    ) throws -> Response {
        var headers = headers
        let tag = EntityTag.text(fill)
        headers[.eTag] = tag
        func body(_ json: inout JSONWriter) {
            fill(&json)
            untagged(&json)
        }
        guard request.method == .get || request.method == .head else { return json(status, headers: headers, body) }
        switch Precondition(request.headers, entityTag: tag, modifiedAt: modifiedAt, isReading: true) {
        case .proceed: return json(status, headers: headers, body)
        case .failed: throw RequestError.preconditionFailed
        case .notModified:
            headers[.cacheControl] = "no-store"
            return Response(status: .notModified, headers: headers)
        }
    }

    // MARK: Lists

    /// The page that the query asks for. Lists that had no pages at first give the largest page by default.
    func page(_ query: QueryText, default standard: Int = PageQuery.maxLimit) throws -> PageQuery {
        PageQuery(limit: try query.limit(default: standard), cursor: try cursor(query))
    }

    /// The cursor of the query. Throws 400 for what is none of this user and list.
    func cursor(_ query: QueryText) throws -> String? { try opened(query["cursor"], of: listName) }

    func next(_ cursor: String?) throws -> String? { try sealed(cursor, of: listName) }

    /// Bytes of an item of a list, with its preview.
    private static let usualRow = 512

    /// One page: its items, `next`, and for some lists their `total` length.
    func list<Item>(
        _ name: StaticString, _ page: ListPage<Item>, total: Int? = nil, unnamed: Int? = nil,
        _ write: (inout JSONWriter, Item) -> Void
    ) throws -> Response {
        let next = try next(page.next)
        return json(reserving: 1024 + page.items.count * Self.usualRow) { json in
            json.field(name, page.items) { json, item in json.object { write(&$0, item) } }
            json.field("next", next)
            if let total { json.field("total", total) }
            if let unnamed { json.field("unnamed", unnamed) }
        }
    }

    /// The route, which is the same for all values of its parameters.
    private var listName: String { context.endpointPath ?? "" }
}

// MARK: Checks

extension WebCall: RoutedCall {
    /// A token is a failure where it is wrong, but on routes that need none.
    func sender(for access: RouteAccess) async throws -> SignedIn? {
        access == .anyone ? nil : try await authenticate()
    }

    /// No browser adds a bearer token by itself.
    func checkOrigin() {}

    var detour: Response? { nil }

    func responseToStranger(on route: WebRoute) throws -> Response { throw RequestError.unauthenticated }

    func responseBeforeSecondFactor() throws -> Response { throw RequestError.secondFactorMissing }

    func responseBeforeProof() throws -> Response { throw RequestError.confirmFirst }

    func prepare(for route: WebRoute) async throws {
        try checkConditions(on: route)
        // Calls with a body reserve it once they have read that.
        if signedIn != nil, !route.isStreamed, reservesAtOnce { try await context.reserveResponse() }
    }

    /// Whether no body is to be read first, by the fields of the request (RFC 9112 §6.3). One of HTTP/2 may come
    /// without them; its sender then holds the room while it sends.
    private var reservesAtOnce: Bool {
        let isEmpty = request.headers[.transferEncoding] == nil && request.headers[.contentLength] ?? "0" == "0"
        return request.method == .get || isEmpty && request.method != .head
    }
}

/// Ids are numbers in bodies.
extension ID: Decodable {}
