internal import Foundation
internal import HTTPTypes
internal import Synchronization

extension Session {
    /// Longest JSON that is taken. A page of 500 items has a few hundred KiB; one email's text may have megabytes.
    static let maxAnswerBytes = 64 * 1024 * 1024

    /// The answer as a value.
    func value<Value: Decodable>(_ call: Call) async throws(ClientError) -> Value {
        try await value(Value.self, call)
    }

    func value<Value: Decodable>(_ type: Value.Type, _ call: Call) async throws(ClientError) -> Value {
        let answer = try await answer(call)
        if answer.bytes.isEmpty { throw foreignAnswer(to: call, "nothing in place of an answer") }
        return try JSON.value(type, from: answer.bytes)
    }

    func foreignAnswer(to call: Call, _ words: String) -> ClientError {
        let request = HTTPRequest(
            method: call.method, scheme: account.server.scheme, authority: account.server.authority, path: call.path)
        return ClientError(foreignAnswerTo: request, words)
    }

    /// The answer as a value, with its entity tag.
    func tagged<Value: Decodable>(_ call: Call) async throws(ClientError) -> Tagged<Value> {
        let answer = try await answer(call)
        let value = try JSON.value(Value.self, from: answer.bytes)
        guard let tag = answer.head.headerFields[.eTag] else {
            throw ClientError(.protocolViolation, "the server's answer has no tag")
        }
        return Tagged(value: value, tag: EntityTag(text: tag))
    }

    /// The bytes of an answer that is no JSON.
    func bytes(_ call: Call) async throws(ClientError) -> [UInt8] { try await answer(call).bytes }

    /// An answer of which only the success counts.
    func done(_ call: Call) async throws(ClientError) { try requireOwn(try await answer(call).head, to: call) }

    /// Throws `foreign` unless it has no content, as the server says that something is done, or JSON.
    private func requireOwn(_ head: HTTPResponse, to call: Call) throws(ClientError) {
        let isJSON = head.headerFields[.contentType]?.hasPrefix("application/json") ?? false
        guard head.status != .noContent, !isJSON else { return }
        throw foreignAnswer(to: call, "status \(head.status.code) in place of an answer")
    }

    /// A deletion. When an attempt before may have reached the server, what is not there any more was deleted by it.
    func deleted(_ call: Call) async throws(ClientError) {
        let mayBeDone = Mutex(false)
        do throws(ClientError) {
            try await retrying(isRepeatable: call.isRepeatable) { () async throws(ClientError) in
                do throws(ClientError) {
                    let response = try await self.response(to: call)
                    _ = try await response.collected(upTo: Self.maxAnswerBytes)
                    try self.requireOwn(response.head, to: call)
                } catch {
                    if error.isWorthRetrying, !error.isRefusal { mayBeDone.withLock { $0 = true } }
                    throw error
                }
            }
        } catch {
            guard error.code == .notFound, mayBeDone.withLock({ $0 }) else { throw error }
        }
    }

    private func answer(_ call: Call) async throws(ClientError) -> Answer {
        try await retrying(isRepeatable: call.isRepeatable) { () async throws(ClientError) in
            let response = try await self.response(to: call)
            return Answer(head: response.head, bytes: try await response.collected(upTo: Self.maxAnswerBytes))
        }
    }

    /// A successful response, whose body is not read yet. Repeats the call until its head is there.
    func stream(_ call: Call) async throws(ClientError) -> TransportResponse {
        try await retrying(isRepeatable: call.isRepeatable) { () async throws(ClientError) in
            try await self.response(to: call)
        }
    }

    /// One attempt.
    private func response(to call: Call) async throws(ClientError) -> TransportResponse {
        var head = HTTPRequest(
            method: call.method, scheme: account.server.scheme, authority: account.server.authority,
            path: call.target, headerFields: call.headers)
        head.headerFields[.authorization] = "Bearer \(try await credentials().web.characters)"
        return try await transport.response(
            to: TransportRequest(head, body: call.body, idleTimeout: call.idleTimeout), clock)
    }

    /// Tries it as often as `retries` says.
    func retrying<Result>(
        isRepeatable: Bool, _ attempt: () async throws(ClientError) -> Result
    ) async throws(ClientError) -> Result {
        var attempts = 0
        while true {
            do {
                return try await attempt()
            } catch {
                attempts += 1
                guard isRepeatable || error.isRefusal, let delay = retries.delay(after: attempts, error) else {
                    var error = error
                    error.wasRetried = attempts > 1
                    throw error
                }
                do {
                    try await Task.sleep(for: delay)
                } catch {
                    throw ClientError(.cancelled, "the task was cancelled")
                }
            }
        }
    }

    private struct Answer {
        var head: HTTPResponse
        var bytes: [UInt8]
    }
}

extension ClientError {
    /// Nothing was done: it did not reach the server, or the server had no time for it.
    fileprivate var isRefusal: Bool { code == .unreachable || code == .busy }
}

extension HTTPTransport {
    /// A successful response (2xx or 304). What the server refuses is thrown as `ClientError`.
    func response(to request: TransportRequest, _ clock: ServerClock) async throws(ClientError) -> TransportResponse {
        var request = request
        request.head.headerFields[.userAgent] = "fund"
        do {
            let response = try await send(request)
            clock.learn(from: response.head)
            let isGood = response.head.status.kind == .successful || response.head.status == .notModified
            guard isGood else { throw await ClientError(refusedBy: response, to: request.head) }
            // Servers of this program answer no program with a page, and give no file this type.
            if response.head.headerFields[.contentType]?.lowercased().hasPrefix("text/html") ?? false {
                throw ClientError(foreignAnswerTo: request.head, "a page in place of an answer")
            }
            return response
        } catch let error as ClientError {
            throw error
        } catch let error as TransportError {
            throw ClientError(error)
        } catch {
            throw ClientError(.interrupted, "\(error)")
        }
    }
}

extension TransportResponse {
    func collected(upTo maxBytes: Int) async throws(ClientError) -> [UInt8] {
        do {
            return try await body.collect(upTo: maxBytes)
        } catch let error as TransportError {
            throw ClientError(error)
        } catch {
            throw ClientError(.interrupted, "\(error)")
        }
    }
}
