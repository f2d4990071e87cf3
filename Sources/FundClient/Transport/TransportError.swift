/// Why no response came, or not the whole of it.
public struct TransportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Kinds of failures.
    public enum Code: String, Sendable, Hashable {
        /// There is no such host, nothing listens there, or no network: nothing of the request was sent.
        case unreachable
        /// The server could not prove who it is: nothing of the request was sent.
        case certificate
        /// Nothing came or went for too long.
        case timedOut
        /// The connection ended before the response did.
        case interrupted
        case cancelled
        /// The body is longer than the caller takes.
        case tooLong
        /// The other side does not speak HTTP, or an address is none.
        case invalid
    }

    /// Kind of failure.
    public var code: Code
    /// For people, in English: what the system says.
    public var detail: String

    /// Creates an error of the transport.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// For people and logs.
    public var description: String { "\(code.rawValue): \(detail)" }
}
