internal import FundCore
internal import Hummingbird
internal import Logging

/// One log line for each request. It holds no query, and no path segment that may be a sign or a token.
struct AccessLog: Sendable {
    /// A path segment of at least this many token characters is masked: a SHA-256 in hexadecimal has 64.
    private static let minSecretLength = 32
    /// The length of a token of 256 bits in base64url. So many token characters in a row are masked wherever they
    /// stand: mail programs take a full stop behind an address for a part of it.
    private static let tokenLength = 43

    let logger: Logger

    func note(_ request: Request, _ context: ServerContext, _ response: Response, _ time: Duration) {
        // Composing the message costs more than serving a small file, so it is composed only when it is logged.
        guard logger.logLevel <= .info else { return }
        logger.info(
            "\(request.method) \(Self.masked(request.uri.path)) \(response.status.code)",
            metadata: [
                "client": "\(context.peer)", "user": "\(context.notedUser.map(String.init) ?? "-")",
                "request": "\(context.id)", "ms": "\(Int64(time / .milliseconds(1)))",
                "bytes": "\(response.body.contentLength ?? -1)", "route": "\(context.endpointPath ?? "-")",
            ])
    }

    static func masked(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let longest = segment.utf8.split { !isTokenByte($0) }.map(\.count).max() ?? 0
            let isSecret = longest >= tokenLength || (longest == segment.utf8.count && longest >= minSecretLength)
            return isSecret ? "***" : String(segment)
        }.joined(separator: "/")
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isAlphanumeric(byte) || byte == .hyphen || byte == .underscore
    }
}
