internal import Synchronization

/// Counters of connections, requests and bytes since the process started.
package final class ConnectionMetrics: Sendable {
    /// Reason for which a connection or a request was refused or cut off, failed logins aside.
    package enum Refusal: String, CaseIterable, Sendable {
        case clientConnections = "client_connections"
        case connections
        case request
        case controlFrames = "control_frames"
        case slowBody = "slow_body"
        case stalled
    }

    private let refusals = Mutex<[Refusal: Int]>([:])
    private let bytes = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)
    private let requests = Atomic<Int>(0)
    private let unsent = Atomic<Int>(0)

    package init() {}

    /// Counts a connection or request that was refused.
    package func refused(_ reason: Refusal) { refusals.withLock { $0[reason, default: 0] += 1 } }
    func bytesServed(_ count: Int) { bytes.add(count, ordering: .relaxed) }
    func requestBegan() { requests.add(1, ordering: .relaxed) }
    func requestEnded() { requests.subtract(1, ordering: .relaxed) }
    func unsent(_ change: Int) { unsent.add(change, ordering: .relaxed) }
    func connectionOpened() { connections.add(1, ordering: .relaxed) }
    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }

    package var refusalCounts: [Refusal: Int] { refusals.withLock { $0 } }
    /// Number of requests that came and are not answered to the end.
    package var requestsInFlight: Int { requests.load(ordering: .relaxed) }
    /// Bytes of responses in memory that clients have not read yet.
    package var unsentBytes: Int { unsent.load(ordering: .relaxed) }
    package var openConnections: Int { connections.load(ordering: .relaxed) }
    /// Bytes of response bodies sent.
    package var servedBytes: Int { bytes.load(ordering: .relaxed) }
}
