internal import Foundation
internal import HTTPTypes

/// Calls of the mobile API (docs/programs.md), signed anew for each attempt. Their paths have neither the user's id
/// nor the sign: `/notes/7`.
extension Session {
    func mobileValue<Value: Decodable>(_ call: Call) async throws(ClientError) -> Value {
        let bytes = try await retrying(isRepeatable: call.isRepeatable) { () async throws(ClientError) in
            try await self.response(to: call).collected(upTo: Self.maxAnswerBytes)
        }
        return try JSON.value(Value.self, from: bytes)
    }

    /// A successful response, whose body is not read yet.
    func mobileStream(_ call: Call) async throws(ClientError) -> TransportResponse {
        try await retrying(isRepeatable: call.isRepeatable) { () async throws(ClientError) in
            try await self.response(to: call)
        }
    }

    /// One attempt; another at once when the first was signed with a wrong time.
    private func response(to call: Call) async throws(ClientError) -> TransportResponse {
        guard let token = try await credentials().mobile else {
            throw ClientError(.unauthenticated, "there is no session for tablets")
        }
        let before = clock.difference ?? .zero
        do throws(ClientError) {
            return try await send(call, token)
        } catch {
            guard error.code == .unauthenticated else { throw error }
            let change = (clock.difference ?? .zero) - before
            guard max(change, .zero - change) >= ServerClock.tolerance / 2 else { throw Self.ended(error) }
        }
        do throws(ClientError) {
            return try await send(call, token)
        } catch {
            throw Self.ended(error)
        }
    }

    private func send(
        _ call: Call, _ token: Credentials.Token
    ) async throws(ClientError) -> TransportResponse {
        let path = "\(call.path)/\(account.user)"
        var query = [(name: "ts", value: "\(clock.now.secondsSince1970)")]
        if call.method != .get && call.method != .head { query.append(("nonce", RequestSign.makeNonce())) }
        let target = Call.target(path, query + call.query)
        let body = if case .bytes(let bytes) = call.body { bytes } else { [UInt8]() }
        let sign = RequestSign(token: token.characters).text(
            method: call.method.rawValue, path: path, query: String(target.dropFirst(path.utf8.count + 1)),
            body: body)
        let head = HTTPRequest(
            method: call.method, scheme: account.server.scheme, authority: account.server.authority,
            path: Call.target("\(path)/\(sign)", query + call.query), headerFields: call.headers)
        return try await transport.response(
            to: TransportRequest(head, body: call.body, idleTimeout: call.idleTimeout), clock)
    }

    /// Meaning of a refused sign once the time is right.
    private static func ended(_ error: ClientError) -> ClientError {
        guard error.code == .unauthenticated else { return error }
        var error = error
        error.detail =
            error.detail == "token expired"
            ? "the session has expired" : "the session was ended, or the password was changed"
        return error
    }

    /// Tries the mobile API, and the web API when only the session of that has not ended: it is kept for longer.
    func mobileOrWeb<Result>(
        _ mobile: () async throws(ClientError) -> Result, web: () async throws(ClientError) -> Result
    ) async throws(ClientError) -> Result {
        do throws(ClientError) {
            return try await mobile()
        } catch {
            guard error.code == .unauthenticated else { throw error }
            return try await web()
        }
    }
}
