internal import Hummingbird
internal import Logging

/// One line a request, without secrets: no query, and what looks like a sign or a token in a path is masked.
struct AccessLog: Sendable {
    /// Characters of a path segment from which on it may be a secret; SHA-256 has 64.
    private static let minSecretLength = 32

    let logger: Logger

    func note(_ request: Request, _ context: ServerContext, _ response: Response, _ time: Duration) {
        // The message is made only when it is wanted: a busy server spends more on it than on the file.
        guard logger.logLevel <= .info else { return }
        logger.info(
            "\(request.method) \(Self.masked(request.uri.path)) \(response.status.code)",
            metadata: [
                "client": "\(context.peer)", "user": "\(context.notedUser.map(String.init) ?? "-")",
                "request": "\(context.id)", "ms": "\(time.milliseconds)",
                "bytes": "\(response.body.contentLength ?? -1)", "route": "\(context.endpointPath ?? "-")",
            ])
    }

    static func masked(_ path: String) -> String {
        path.split(separator: "/", omittingEmptySubsequences: false).map { segment in
            let isSecret = segment.utf8.count >= minSecretLength && segment.utf8.allSatisfy(isTokenByte)
            return isSecret ? "***" : String(segment)
        }.joined(separator: "/")
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
}

extension Duration {
    var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }
}
