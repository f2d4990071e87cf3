/// Bounds the bytes of answers that are in memory because clients have not taken them yet: of all connections together, of those
/// of one network, and of each connection. HTTP/2 alone bounds nothing of it: a client opens a hundred streams and no window.
final class SendBudget: Sendable {
    /// What a connection that holds nothing always gets: whoever takes what is sent goes on, however full it is here.
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
