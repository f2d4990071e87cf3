import FundCore
import FundPreview
import FundServer
import FundStore

/// Figures about making previews, for `/metrics`.
struct PreviewMetrics: Sendable {
    let workers: PreviewWorkers
    let store: FundStore

    func families() async -> [MetricFamily] {
        let statistics = workers.statistics
        let status = (try? await store.previews.status()) ?? PreviewStatus()
        let jobs = statistics.outcomes.sorted { $0.key < $1.key }.map { outcome, count in
            MetricFamily.Sample(
                Double(count),
                [
                    ("kind", outcome.kind.rawValue), ("result", outcome.failure == nil ? "ready" : "failed"),
                    ("reason", outcome.failure?.rawValue ?? ""),
                ])
        }
        let waiting = PreviewOrder.Priority.allCases.map { priority in
            MetricFamily.Sample(Double(status.waiting[priority] ?? 0), [("priority", "\(priority)")])
        }
        let oldest = status.oldestWaitingAt.map { max(0, (Timestamp.now - $0).components.seconds) } ?? 0
        return [
            MetricFamily("fundmail_preview_jobs_total", .counter, "Previews that were made or failed.", jobs),
            MetricFamily(
                "fundmail_preview_job_seconds", "Time that making a preview took.",
                statistics.durations.sorted { $0.key.rawValue < $1.key.rawValue }
                    .map { ([("kind", $0.key.rawValue)], $0.value) }),
            MetricFamily("fundmail_preview_queue_length", .gauge, "Previews that wait.", waiting),
            MetricFamily(
                "fundmail_preview_queue_oldest_seconds", .gauge, "Since when the oldest of them waits.",
                Double(oldest)),
            MetricFamily(
                "fundmail_preview_running", .gauge, "Previews that are being made.", Double(statistics.running)),
            MetricFamily(
                "fundmail_preview_cache_bytes", .gauge, "What all previews take.", Double(status.bytes)),
            MetricFamily(
                "fundmail_preview_evictions_total", .counter, "Previews that were removed to make room.",
                Double(statistics.evictions)),
            MetricFamily(
                "fundmail_scan_verdicts_total", .counter, "What the scanner for malware said.",
                statistics.verdicts.sorted { $0.key < $1.key }.map { .init(Double($0.value), [("verdict", $0.key)]) }),
            MetricFamily(
                "fundmail_scanner_up", .gauge, "0 while the scanner gives no verdicts.",
                statistics.scannerProblem == nil ? 1 : 0),
            MetricFamily(
                "fundmail_quarantined", .gauge, "Contents that are kept from people.",
                Double((try? await store.quarantine.quarantineCount()) ?? 0)),
            MetricFamily(
                "fundmail_preview_requests_total", .counter, "Requests for previews.",
                [("hit", statistics.hits), ("miss", statistics.misses), ("timeout", statistics.timeouts)].map {
                    MetricFamily.Sample(Double($0.1), [("result", $0.0)])
                }),
        ]
    }
}

extension PreviewStatistics.Outcome {
    fileprivate static func < (first: Self, second: Self) -> Bool {
        (first.kind.rawValue, first.failure?.rawValue ?? "") < (second.kind.rawValue, second.failure?.rawValue ?? "")
    }
}
