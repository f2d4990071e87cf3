internal import Foundation
internal import HTTPTypes

extension ClientError {
    /// - Parameter error: of the transport, which got no response or not the whole of it.
    public init(_ error: TransportError) {
        let code: Code =
            switch error.code {
            case .unreachable: .unreachable
            case .certificate: .certificate
            case .timedOut: .timedOut
            case .interrupted: .interrupted
            case .cancelled: .cancelled
            case .tooLong: .protocolViolation
            case .invalid: .invalid
            }
        self.init(code, error.detail)
    }

    /// Problem details (RFC 9457), or what the mobile API says.
    private struct Problem: Decodable {
        var type: String?
        var detail: String?
        var description: String?
    }

    /// More than that is no explanation.
    private static let maxProblemBytes = 64 * 1024

    /// The longest wait that a server is heeded in asking for: a day, in seconds.
    private static let maxRetrySeconds: Int64 = 86_400

    private static let proxyLimitWords = """
        a proxy before the server takes no request of that size (413); its limit has to be raised, as \
        client_max_body_size of nginx or LimitRequestBody of Apache
        """

    /// Limit of the text that is shown of a redirect's target, in characters.
    private static let maxShownBytes = 200

    /// Something else answers in the server's place.
    /// - Parameters:
    ///   - request: to which.
    ///   - words: what it answers.
    init(foreignAnswerTo request: HTTPRequest, _ words: String) {
        let address = "\(request.scheme ?? "")://\(request.authority ?? "")"
        self.init(.foreign, "something else answers at \(address): \(words)")
    }

    /// - Parameters:
    ///   - response: whose status is not one of success. Its body is read.
    ///   - request: to which it is the answer.
    init(refusedBy response: TransportResponse, to request: HTTPRequest) async {
        let status = response.head.status.code
        if response.head.status.kind == .redirection {
            // Fundmail's own API never redirects.
            let target = response.head.headerFields[.location].map { "it leads to \($0.prefix(Self.maxShownBytes))" }
            self.init(foreignAnswerTo: request, target ?? "status \(status)")
            self.status = status
            return
        }
        let bytes = (try? await response.body.collect(upTo: Self.maxProblemBytes)) ?? []
        let problem = try? JSON.value(Problem.self, from: bytes)
        let kind = problem?.type?.split(separator: ":").last.map(String.init) ?? ""
        let words = problem?.detail ?? problem?.description ?? "the server answers with status \(status)"
        let seconds = response.head.headerFields[.retryAfter].flatMap { Int64($0) }
        // Without problem details it is another server, or a proxy in between. The answer to HEAD has only their type.
        let isProblem = response.head.headerFields[.contentType]?.hasPrefix("application/problem+json") ?? false
        let isKnown = isProblem || problem?.type != nil || problem?.description != nil
        if !isKnown, Self.isForeign(status) {
            self.init(foreignAnswerTo: request, "status \(status)")
            self.status = status
            return
        }
        let code = Self.code(status: status, kind: kind, words: words, isKnown: isKnown)
        self.init(
            code, code == .proxyLimit ? Self.proxyLimitWords : words,
            retryAfter: seconds.map { .seconds(min(max(0, $0), Self.maxRetrySeconds)) }, status: status)
    }

    /// Whether the servers of this program never answer so without problem details. What a proxy says when the server
    /// behind it is away, or has no time, is for the server.
    private static func isForeign(_ status: Int) -> Bool {
        switch status {
        case 400, 408, 413, 414, 429, 431: false
        // Network Authentication Required (RFC 6585 §6).
        case 511: true
        default: status < 500
        }
    }

    private static func code(status: Int, kind: String, words: String, isKnown: Bool) -> Code {
        switch (status, kind) {
        case (401, "wrong-credentials"), (403, "wrong-password"): .wrongPassword
        case (401, "wrong-code"): .wrongCode
        case (403, "second-factor"): .codeAsked
        // The mobile API says it in words.
        case (401, _) where words.contains("username"): .wrongPassword
        case (401, _): .unauthenticated
        case (403, "quarantined"): .quarantined
        case (403, _), (404, "drives-off"): .forbidden
        case (503, "drive-busy"): .busy
        case (422..., _) where kind.hasPrefix("drive-"): .storeFault
        case (404, _): .notFound
        case (408, _): .timedOut
        // The server has more of an upload, or less, than its client thinks.
        case (409, _) where kind.hasSuffix("#mismatching-upload-offset"): .interrupted
        case (409, _): .conflict
        case (410, _): .outdated
        case (412, _): .preconditionFailed
        case (413, _): isKnown ? .tooLarge : .proxyLimit
        case (429, _), (503, _): .busy
        case (500, "damaged"): .damaged
        case (507, _): .noSpaceOnServer
        case (500..., _): .serverFault
        case (400..., _): .invalid
        default: .protocolViolation
        }
    }
}
