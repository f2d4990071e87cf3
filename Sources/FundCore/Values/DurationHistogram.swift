/// Durations counted by their length, as histograms of Prometheus do it
/// (https://prometheus.io/docs/concepts/metric_types/#histogram).
package struct DurationHistogram: Sendable, Hashable {
    /// Upper bounds of the buckets in seconds, ascending; what is longer than the last has a bucket of its own.
    package let bounds: [Double]
    /// Number of durations in each bucket; the last has those that are longer than all bounds.
    package private(set) var counts: [Int]
    /// The sum of all durations.
    package private(set) var time: Duration

    /// Empty.
    package init(_ bounds: [Double]) {
        self.bounds = bounds
        counts = [Int](repeating: 0, count: bounds.count + 1)
        time = .zero
    }

    /// Nil when there is not one count for each bucket, or a negative one.
    package init?(_ bounds: [Double], counts: [Int], time: Duration) {
        guard counts.count == bounds.count + 1, counts.allSatisfy({ $0 >= 0 }) else { return nil }
        self.bounds = bounds
        self.counts = counts
        self.time = time
    }

    package var count: Int { counts.reduce(0, +) }

    package mutating func note(_ time: Duration) {
        let seconds = time.seconds
        counts[bounds.firstIndex { seconds <= $0 } ?? bounds.count] += 1
        self.time += time
    }

    /// Both have the same bounds.
    package static func += (first: inout Self, second: Self) {
        for index in first.counts.indices { first.counts[index] += second.counts[index] }
        first.time += second.time
    }

    /// The difference to `second`, which is an earlier state of `first`.
    package static func - (first: Self, second: Self) -> Self {
        var difference = first
        for index in first.counts.indices { difference.counts[index] -= second.counts[index] }
        difference.time -= second.time
        return difference
    }

    /// The duration in seconds that this share of all durations does not exceed, 0.5 for the median. It is estimated as
    /// if durations were spread evenly within their bucket; of those beyond all bounds it says the last bound, like
    /// Prometheus' `histogram_quantile`. Nil without durations.
    package func quantile(_ share: Double) -> Double? {
        let rank = share * Double(count)
        guard count > 0 else { return nil }
        var below = 0
        for (index, bound) in bounds.enumerated() {
            let through = below + counts[index]
            if counts[index] > 0, Double(through) >= rank {
                let lower = index > 0 ? bounds[index - 1] : 0
                return lower + (bound - lower) * (rank - Double(below)) / Double(counts[index])
            }
            below = through
        }
        return bounds.last
    }
}

extension DurationHistogram {
    /// For what users wait for: from a file in memory to what they take for a failure.
    package static var ofWaits: Self { Self([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]) }

    /// For the way of a message into the store: from one small message to a mailbox that is fetched for the first time.
    package static var ofMessages: Self {
        Self([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300])
    }

    /// For runs over a mailbox, which may take half an hour.
    package static var ofRuns: Self { Self([0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800]) }
}
