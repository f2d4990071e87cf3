internal import FundCore
package import MailConnection

/// A server of address books: sends requests, follows redirections within the server, and tells what an answer means.
/// For one thread; blocks.
package struct CardServer {
    /// The transport of one request; the program's is a `WebSession`.
    package typealias Send = (WebRequest) throws(ConnectionError) -> WebAnswer

    private static let maxRedirections = 5
    /// Bytes of one answer: the list of a full address book has 4 MB. One that is longer is cut, up to this length.
    package static let maxAnswerBytes = 16 << 20

    private let send: Send
    /// When no further request is begun.
    private let deadline: ContinuousClock.Instant

    package init(until deadline: ContinuousClock.Instant, send: @escaping Send) {
        (self.send, self.deadline) = (send, deadline)
    }

    /// The properties of resources, as the answer to a request names them.
    ///
    /// - Parameter depth: `0` for the resource itself, `1` for those in it, too.
    func multiStatus(
        _ method: String, _ address: WebAddress, depth: String, _ body: String
    ) throws(ConnectionError) -> MultiStatus {
        let fields = [("Depth", depth), ("Content-Type", "application/xml; charset=utf-8")]
        let answer = try answer(to: WebRequest(method, address, fields: fields, body: body))
        let operation = "\(method) \(address.path)"
        guard answer.status == Status.multi else {
            throw ConnectionError(
                .protocolViolation, during: operation,
                "it answers with \(answer.status), as no address book does")
        }
        do { return try MultiStatus(answer.body) } catch {
            let reason = (error as? MarkupError)?.reason ?? "\(error)"
            throw ConnectionError(.protocolViolation, during: operation, "its answer cannot be read: \(reason)")
        }
    }

    /// The text of one resource; nil when it is gone, or not for this user.
    func card(at address: WebAddress) throws(ConnectionError) -> (text: [UInt8], entityTag: String?)? {
        do {
            let answer = try answer(to: WebRequest("GET", address, fields: [("Accept", "text/vcard")]))
            return (answer.body, answer.fields["etag"])
        } catch  where [.mailboxUnavailable, .commandRefused].contains(error.code) {
            return nil
        }
    }

    private func answer(to request: WebRequest) throws(ConnectionError) -> WebAnswer {
        var request = request
        for _ in 0...Self.maxRedirections {
            guard .now < deadline else { throw ConnectionError(.runLimit, during: request.method) }
            let answer = try send(request)
            guard Status.redirections.contains(answer.status) else {
                try Self.check(answer, of: request)
                return answer
            }
            let operation = "\(request.method) \(request.address.path)"
            guard let next = answer.fields["location"].flatMap(request.address.resolving) else {
                throw ConnectionError(.unsupported, during: operation, "it leads to another server, or to no address")
            }
            request.address = next
        }
        throw ConnectionError(.protocolViolation, during: request.method, "it leads from one address to the next")
    }

    private enum Status {
        static let multi = 207
        static let redirections: Set<Int> = [301, 302, 307, 308]
        static let tooManyRequests = 429
    }

    /// Throws what a refusal means.
    private static func check(_ answer: WebAnswer, of request: WebRequest) throws(ConnectionError) {
        let code: ConnectionError.Code
        switch answer.status {
        case 200..<300: return
        case 401: code = .loginRefused
        case 404, 410: code = .mailboxUnavailable
        case Status.tooManyRequests,
            500..<600 where answer.status != 501:
            code = .throttled
        default: code = .commandRefused
        }
        let retryAfter = answer.fields["retry-after"].flatMap { Int64($0) }
        throw ConnectionError(
            code, during: "\(request.method) \(request.address.path)", "it answers with \(answer.status)",
            retryAfter: retryAfter.map { .seconds(min(max($0, 0), maxRetryAfter)) })
    }

    /// Seconds of a pause that a server may ask for.
    private static let maxRetryAfter: Int64 = 86_400
}
