internal import HTTPTypes
internal import Synchronization

/// What this process counts since it was started.
package final class ServerMetrics: Sendable {
    struct RequestKey: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    struct RequestCount {
        var count = 0
        var time = Duration.zero
    }

    private let requests = Mutex<[RequestKey: RequestCount]>([:])
    private let bytes = Atomic<Int>(0)
    private let connections = Atomic<Int>(0)

    package init() {}

    func count(_ method: HTTPRequest.Method, _ route: String, _ status: HTTPResponse.Status, _ time: Duration) {
        // Methods and paths that clients invent must not fill the memory.
        let key = RequestKey(
            method: route.isEmpty || route == "NotFound" ? "*" : method.rawValue, route: route, status: status.code)
        requests.withLock { requests in
            requests[key, default: RequestCount()].count += 1
            requests[key, default: RequestCount()].time += time
        }
    }

    func bytesServed(_ count: Int) { bytes.add(count, ordering: .relaxed) }
    func connectionOpened() { connections.add(1, ordering: .relaxed) }
    func connectionClosed() { connections.subtract(1, ordering: .relaxed) }

    package func families() -> [MetricFamily] {
        let counts = requestCounts.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
        func samples(_ value: (RequestCount) -> Double) -> [MetricFamily.Sample] {
            counts.map { key, count in
                MetricFamily.Sample(
                    value(count), [("method", key.method), ("route", key.route), ("status", "\(key.status)")])
            }
        }
        return [
            MetricFamily(
                "fundmail_http_requests_total", .counter, "Requests answered.", samples { Double($0.count) }),
            MetricFamily(
                "fundmail_http_request_seconds_total", .counter, "Time until the answer's body began.",
                samples { Double($0.time.milliseconds) / 1000 }),
            MetricFamily("fundmail_http_sent_bytes_total", .counter, "Bytes of bodies sent.", Double(servedBytes)),
            MetricFamily("fundmail_http_connections", .gauge, "Connections open now.", Double(openConnections)),
        ]
    }

    var openConnections: Int { connections.load(ordering: .relaxed) }
    var servedBytes: Int { bytes.load(ordering: .relaxed) }
    var requestCounts: [RequestKey: RequestCount] { requests.withLock { $0 } }
}
