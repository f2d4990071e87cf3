/// Sends requests over HTTP: what an app implements with the client of its platform. `AsyncHTTPTransport` is one for
/// Linux and for programs without a platform.
///
/// An implementation keeps connections open, sends bodies without holding them in memory, follows no redirect, checks
/// certificates, and ends what a cancelled task asked for.
public protocol HTTPTransport: Sendable {
    /// Sends a request. Returns as soon as the head of the response is here.
    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse

    /// Closes all connections. What is under way ends with an error.
    func shutdown() async
}
