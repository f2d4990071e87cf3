internal import FundHTTP
internal import Hummingbird
import FundCore

/// A call of the mobile API with a valid sign.
struct MobileCall: Sendable {
    var user: User
    /// The ids in the path before the user's id.
    var ids: [Int64]
    /// The fields of the query and the body.
    var fields: FieldText
    /// Accounts for the memory of the response.
    var sends: StreamSends?

    func id<Entity>(_ index: Int) throws -> ID<Entity> {
        guard ids.indices.contains(index) else { throw RequestError.notFound }
        return ID(ids[index])
    }

    func time(_ name: String) throws -> Timestamp? { try number(name).map { Timestamp($0) } }

    func number(_ name: String) throws -> Int64? {
        guard let text = fields[name] else { return nil }
        guard let number = Int64(text) else { throw RequestError.invalid("\(name) is not a number") }
        return number
    }

    func text(_ name: String) throws -> String {
        guard let text = fields[name] else { throw RequestError.invalid("\(name) is missing") }
        return text
    }
}

/// Checks signs. A client without a valid sign learns neither which users nor which items exist.
struct MobileSignCheck: Sendable {
    /// How long a used nonce is remembered: longer than a clock is set back by hand.
    private static let nonceMemory = Duration.seconds(86_400)
    private static let maxNonceBytes = 64

    let authenticator: Authenticator
    let store: any AccountStore
    /// For the bodies of signed calls.
    let unproven: UnprovenBodies
    let logins: UnprovenBodies
    let readers: BodyReaders

    /// Checks in this order: target, time, sign, lifetime of the token, nonce; all before anything is looked up. Throws
    /// `unauthenticated`, `token-expired`, `too-large`, `busy`, or `invalid` for a signed body that cannot be read.
    func verify(_ request: Request, _ context: ServerContext, maxBodyBytes: Int) async throws -> MobileCall {
        let now = authenticator.now()
        // Readers differ in how they read a name that stands twice, so no sign is valid for it.
        guard let target = MobileTarget(request.head.path ?? ""), let query = try? FieldText(form: target.query),
            let time = query["ts"].flatMap({ DateText.time(since1970: $0) }), time >= now - ClientClock.maxDifference,
            time <= now + ClientClock.maxDifference
        else { throw RequestError.unauthenticated }
        let (user, body) = try await context.readUnproven(request, in: unproven, upTo: maxBodyBytes) { body in
            let call = SignedCall(
                method: request.method.rawValue, path: target.signedPath, query: target.query, body: body)
            return (try await authenticator.user(target.user, signing: call, with: target.sign).user, body)
        }
        if ![.get, .head].contains(request.method) {
            guard let nonce = query["nonce"], Self.isNonce(nonce),
                try await store.spendNonce(
                    nonce, of: user.id, signed: time, at: now, until: max(now, time) + Self.nonceMemory)
            else { throw RequestError.unauthenticated }
        }
        var fields = query
        context.noteUser(user.id)
        let ofBody = try await readers.read(body.count, of: context.origin) { try Self.fields(of: body, request) }
        try fields.merge(ofBody)
        return MobileCall(user: user, ids: target.ids, fields: fields, sends: context.sends)
    }

    /// The fields of a login, which is not signed.
    func fields(of request: Request, _ context: ServerContext) async throws -> FieldText {
        try await context.readUnproven(request, in: logins, upTo: logins.maxLoginBytes) {
            try Self.fields(of: $0, request)
        }
    }

    /// Reads a form or a JSON object. Without `Content-Type` the first character decides.
    private static func fields(of body: [UInt8], _ request: Request) throws -> FieldText {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        let isObject = body.first { !" \t\r\n".utf8.contains($0) } == UInt8(ascii: "{")
        switch type {
        case _ where body.isEmpty: return FieldText()
        case "application/json",
            nil where isObject:
            return try FieldText(json: body)
        case "application/x-www-form-urlencoded", nil:
            return try FieldText(formBytes: body)
        default:
            throw RequestError(
                .unsupportedMediaType, "unsupported-type", "send application/json or application/x-www-form-urlencoded")
        }
    }

    private static func isNonce(_ text: String) -> Bool {
        (1...maxNonceBytes).contains(text.utf8.count) && text.utf8.allSatisfy(PercentCoding.isUnreserved)
    }
}
