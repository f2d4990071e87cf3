internal import FundCore

/// Durations as a histogram of Prometheus (https://prometheus.io/docs/concepts/metric_types/#histogram).
enum DurationBuckets {
    /// Upper bounds in seconds, from a file in memory to what users take for a failure.
    static let bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    /// The index of the one bucket that counts it; `bounds.count` for longer times.
    static func index(of time: Duration) -> Int {
        let seconds = time.seconds
        return bounds.firstIndex { seconds <= $0 } ?? bounds.count
    }

    /// - Parameters:
    ///   - counts: by `index`; they are added up.
    ///   - sum: of all durations, in seconds.
    static func samples(_ counts: [[Int]], sum: Double, _ labels: [MetricFamily.Label]) -> [MetricFamily.Sample] {
        var total = 0
        var samples: [MetricFamily.Sample] = []
        for index in 0...bounds.count {
            total += counts.reduce(0) { $0 + $1[index] }
            let bound = index < bounds.count ? MetricFamily.number(bounds[index]) : "+Inf"
            samples.append(.init(Double(total), labels + [("le", bound)], suffix: "_bucket"))
        }
        samples.append(.init(sum, labels, suffix: "_sum"))
        samples.append(.init(Double(total), labels, suffix: "_count"))
        return samples
    }
}
