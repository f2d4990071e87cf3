/// Bounds the bytes of responses in memory that clients have not read yet: of all connections, of one network, and of
/// each connection. The flow control of HTTP/2 does not: a client can open a hundred streams and no window.
final class SendBudget: Sendable {
    /// A connection that holds nothing always gets this much, so that a client that reads makes progress however full
    /// the budget is.
    static let minPiece = 16 * 1024

    let maxBytes: Int
    let maxBytesOfNetwork: Int
    let maxBytesOfConnection: Int
    private let metrics: ServerMetrics

    init(limits: ServerLimits, metrics: ServerMetrics) {
        self.metrics = metrics
        maxBytes = limits.maxUnsentBytes
        maxBytesOfNetwork = limits.maxUnsentBytes / 4
        maxBytesOfConnection = limits.maxUnsentBytesOfConnection
    }

    var held: Int { metrics.unsentBytes }

    func hasRoom(for count: Int, besides ofNetwork: Int) -> Bool {
        held + count <= maxBytes && ofNetwork + count <= maxBytesOfNetwork
    }

    func add(_ count: Int) { metrics.unsent(count) }
    func subtract(_ count: Int) { metrics.unsent(-count) }
}
