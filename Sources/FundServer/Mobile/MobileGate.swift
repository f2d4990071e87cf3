internal import HTTPTypes
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
        guard ids.indices.contains(index) else { throw RequestFailure.notFound }
        return ID(ids[index])
    }

    func time(_ name: String) throws -> Timestamp? { try number(name).map { Timestamp($0) } }

    func number(_ name: String) throws -> Int64? {
        guard let text = fields[name] else { return nil }
        guard let number = Int64(text) else { throw RequestFailure.invalid("\(name) is not a number") }
        return number
    }

    func text(_ name: String) throws -> String {
        guard let text = fields[name] else { throw RequestFailure.invalid("\(name) is missing") }
        return text
    }
}

/// Checks signs. A client without a valid sign learns neither which users nor which items exist.
struct MobileGate: Sendable {
    /// How far a client's clock may differ.
    private static let maxClockDifference = Duration.seconds(300)
    /// How long a used nonce is remembered: longer than a clock is set back by hand.
    private static let nonceMemory = Duration.seconds(86_400)
    private static let maxNonceBytes = 64

    let authenticator: Authenticator
    let store: any AccountStore
    /// For the bodies of signed calls.
    let unproven: UnprovenBodies
    let logins: UnprovenBodies

    /// Checks in this order: the form of the target, the time, the sign, the lifetime of the token, the nonce. Only
    /// then is anything looked up. Throws `unauthenticated`, `token-expired`, `too-large`, `busy`, or `invalid` for a
    /// signed body that cannot be read.
    func open(_ request: Request, _ context: ServerContext, maxBodyBytes: Int) async throws -> MobileCall {
        let now = authenticator.now()
        // Readers differ in how they read a name that stands twice, so no sign is valid for it.
        guard let target = MobileTarget(request.head.path ?? ""), let query = try? FieldText(form: target.query),
            let time = Self.time(query["ts"]), time >= now - Self.maxClockDifference,
            time <= now + Self.maxClockDifference
        else { throw RequestFailure.unauthenticated }
        let (user, body) = try await unproven.read(request, context, upTo: maxBodyBytes) { body in
            let call = SignedCall(
                method: request.method.rawValue, path: target.signedPath, query: target.query, body: body)
            return (try await authenticator.user(target.user, signing: call, with: target.sign).user, body)
        }
        if ![.get, .head].contains(request.method) {
            guard let nonce = query["nonce"], Self.isNonce(nonce),
                try await store.spendNonce(nonce, of: user.id, at: now, until: max(now, time) + Self.nonceMemory)
            else { throw RequestFailure.unauthenticated }
        }
        var fields = query
        do { try fields.merge(try Self.fields(of: body, request)) } catch let problem as FieldText.Problem {
            throw Self.failure(problem)
        }
        return MobileCall(user: user, ids: target.ids, fields: fields, sends: context.sends)
    }

    /// The fields of a login, which is not signed.
    func fields(of request: Request, _ context: ServerContext) async throws -> FieldText {
        try await logins.read(request, context, upTo: logins.maxLoginBytes) { body in
            do { return try Self.fields(of: body, request) } catch let problem as FieldText.Problem {
                throw Self.failure(problem)
            }
        }
    }

    private static func failure(_ problem: FieldText.Problem) -> RequestFailure {
        switch problem {
        case .duplicate(let name): .invalid("\(name) stands twice")
        case .number(let text): .invalid("\(text) is too large for a number here")
        case .malformed: .invalid("the body cannot be read")
        }
    }

    /// Reads a form or a JSON object. Without `Content-Type` the first character decides.
    private static func fields(of body: [UInt8], _ request: Request) throws -> FieldText {
        let type = request.headers[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased()
        let isObject = body.first { ![9, 10, 13, 32].contains($0) } == UInt8(ascii: "{")
        switch type {
        case _ where body.isEmpty: return FieldText()
        case "application/json",
            nil where isObject:
            return try FieldText(json: body)
        case "application/x-www-form-urlencoded", nil:
            guard let text = String(validating: body, as: UTF8.self) else { throw FieldText.Problem.malformed }
            return try FieldText(form: text)
        default:
            throw RequestFailure(
                .unsupportedMediaType, "unsupported-type", "send application/json or application/x-www-form-urlencoded")
        }
    }

    private static func time(_ text: String?) -> Timestamp? {
        guard let text, (1...12).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return Int64(text).map { Timestamp($0) }
    }

    private static func isNonce(_ text: String) -> Bool {
        (1...maxNonceBytes).contains(text.utf8.count) && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
}
