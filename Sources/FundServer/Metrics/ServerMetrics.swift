internal import HTTPTypes
internal import FundHTTP
internal import FundCore
internal import Synchronization

/// Counters of this process since its start.
final class ServerMetrics: Sendable {
    struct RequestKey: Hashable {
        var method: String
        var route: String
        var status: Int
    }

    /// Counters that all connections share.
    let connections = ConnectionMetrics()
    private let requests = Mutex<[RequestKey: DurationHistogram]>([:])

    func count(_ method: HTTPRequest.Method, _ route: String, _ status: HTTPResponse.Status, _ time: Duration) {
        // Unknown methods and paths share one entry: clients must not be able to fill the memory with them.
        let key = RequestKey(
            method: route.isEmpty || route == "NotFound" ? "*" : method.rawValue, route: route, status: status.code)
        requests.withLock { $0[key, default: .ofWaits].note(time) }
    }

    /// All counters as metrics.
    func families() -> [MetricFamily] {
        let counts = requestCounts.sorted {
            ($0.key.route, $0.key.method, $0.key.status) < ($1.key.route, $1.key.method, $1.key.status)
        }
        return [
            MetricFamily(
                "fundmail_http_requests_total", .counter, "Requests answered.",
                counts.map { key, durations in
                    MetricFamily.Sample(
                        Double(durations.count),
                        [("method", key.method), ("route", key.route), ("status", "\(key.status)")])
                }),
            MetricFamily(
                "fundmail_http_request_duration_seconds", .histogram, "Time until the answer's body began.",
                durations(counts)),
            MetricFamily(
                "fundmail_http_requests_in_flight", .gauge, "Requests that came and are not answered to the end.",
                Double(connections.requestsInFlight)),
            MetricFamily(
                "fundmail_http_unsent_bytes", .gauge, "Bytes of answers in memory that clients have not taken yet.",
                Double(connections.unsentBytes)),
            MetricFamily(
                "fundmail_http_refused_total", .counter, "Connections and requests refused or cut off, by why.",
                ConnectionMetrics.Refusal.allCases.map {
                    .init(Double(connections.refusalCounts[$0] ?? 0), [("reason", $0.rawValue)])
                }),
            MetricFamily(
                "fundmail_http_sent_bytes_total", .counter, "Bytes of bodies sent.", Double(connections.servedBytes)),
            MetricFamily(
                "fundmail_http_connections", .gauge, "Connections open now.", Double(connections.openConnections)),
        ]
    }

    /// By method and route. By status there would be too many, and failures say nothing about the speed of a route.
    private func durations(
        _ counts: [(key: RequestKey, value: DurationHistogram)]
    ) -> [MetricFamily.Sample] {
        let routes = Dictionary(grouping: counts) { [$0.key.method, $0.key.route] }
        return routes.sorted { $0.key.lexicographicallyPrecedes($1.key) }.flatMap { key, counts in
            MetricFamily.Sample.all(
                of: counts.reduce(into: .ofWaits) { $0 += $1.value }, [("method", key[0]), ("route", key[1])])
        }
    }

    /// Requests that failed for other reasons than the client's.
    var failures: RequestFailures {
        // For `/readyz` such a status is the answer: no request failed.
        let errors = requestCounts.filter { $0.key.status >= 500 && $0.key.route != "/readyz" }
        return RequestFailures(
            serverErrors: errors.reduce(0) { $0 + $1.value.count },
            refused: connections.refusalCounts.values.reduce(0, +))
    }

    var requestCounts: [RequestKey: DurationHistogram] { requests.withLock { $0 } }
}

/// How many requests failed since the server was made.
package struct RequestFailures: Sendable, Hashable {
    /// Answered with a status of 500 or more, but those of `/readyz`.
    package var serverErrors: Int
    /// Connections and requests that were refused or cut off, failed logins aside.
    package var refused: Int
}
