internal import HTTPTypes

/// A transport that sends nothing but requests to read, for programs that must not change anything on a server,
/// whatever they are asked for.
public struct ReadOnlyTransport: HTTPTransport {
    private let transport: any HTTPTransport

    /// Creates a transport over another one, which carries the requests and which `shutdown` shuts down.
    public init(_ transport: any HTTPTransport) { self.transport = transport }

    /// Throws `invalid` for a request that is neither `GET` nor `HEAD`; it is not sent.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard request.head.method == .get || request.head.method == .head else {
            throw TransportError(.invalid, "this program only reads")
        }
        return try await transport.send(request)
    }

    /// Closes all connections.
    public func shutdown() async { await transport.shutdown() }
}
