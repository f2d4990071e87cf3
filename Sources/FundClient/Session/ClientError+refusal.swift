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

    /// - Parameter response: whose status is not one of success. Its body is read.
    init(refusedBy response: TransportResponse) async {
        let status = response.head.status.code
        let bytes = (try? await response.body.collect(upTo: Self.maxProblemBytes)) ?? []
        let problem = try? JSON.value(Problem.self, from: bytes)
        let kind = problem?.type?.split(separator: ":").last.map(String.init) ?? ""
        let words = problem?.detail ?? problem?.description ?? "the server answers with status \(status)"
        let seconds = response.head.headerFields[.retryAfter].flatMap { Int64($0) }
        // Without problem details it is another server, or a proxy in between.
        let isKnown = problem?.type != nil || problem?.description != nil
        self.init(
            Self.code(status: status, kind: kind, words: words, isKnown: isKnown), words,
            retryAfter: seconds.map { .seconds(max(0, $0)) }, status: status)
    }

    private static func code(status: Int, kind: String, words: String, isKnown: Bool) -> Code {
        switch (status, kind) {
        case (401, "wrong-credentials"), (403, "wrong-password"): .wrongPassword
        // Of the mobile API.
        case (401, _) where words.contains("username"): .wrongPassword
        case (401, _): .unauthenticated
        case (403, "quarantined"): .quarantined
        case (403, _): .forbidden
        case (404, _): isKnown ? .notFound : .protocolViolation
        // The server has more of an upload, or less, than its client thinks.
        case (409, _) where kind.hasSuffix("#mismatching-upload-offset"): .interrupted
        case (409, _): .conflict
        case (410, _): .outdated
        case (412, _): .preconditionFailed
        case (413, _): .tooLarge
        case (429, _), (503, _): .busy
        case (500, "damaged"): .damaged
        case (507, _): .noSpaceOnServer
        case (500..., _): .serverFault
        case (400..., _): .invalid
        default: .protocolViolation
        }
    }
}
