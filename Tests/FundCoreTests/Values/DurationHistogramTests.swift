import FundCore
import Testing

struct DurationHistogramTests {
    private static func histogram(_ milliseconds: [Int]) -> DurationHistogram {
        milliseconds.reduce(into: DurationHistogram([0.1, 1, 10])) { $0.note(.milliseconds($1)) }
    }

    @Test(
        arguments: [
            ([], [0, 0, 0, 0]), ([0, 100], [2, 0, 0, 0]), ([101, 1000, 1001], [0, 2, 1, 0]),
            ([10_000, 10_001], [0, 0, 1, 1]),
        ] as [([Int], [Int])])
    func countsByBounds(_ milliseconds: [Int], _ counts: [Int]) {
        let histogram = Self.histogram(milliseconds)
        #expect(histogram.counts == counts)
        #expect(histogram.count == milliseconds.count)
        #expect(histogram.time == .milliseconds(milliseconds.reduce(0, +)))
    }

    /// Spread evenly within the bucket; the last bound for what is longer.
    @Test(
        arguments: [
            ([50, 50], 0.5, 0.05), ([50, 50], 1, 0.1), ([50, 500], 0.5, 0.1), ([50, 500], 0.75, 0.55),
            ([50, 500, 500, 500], 0.5, 0.4), ([20_000], 0.5, 10), ([50, 20_000], 0.95, 10), ([5000], 0, 1),
        ] as [([Int], Double, Double)])
    func estimatesQuantiles(_ milliseconds: [Int], _ share: Double, _ seconds: Double) throws {
        let quantile = try #require(Self.histogram(milliseconds).quantile(share))
        #expect(abs(quantile - seconds) < 1e-9)
    }

    @Test func addsAndSubtracts() {
        let (first, second) = (Self.histogram([50, 500]), Self.histogram([5000, 20_000, 20_000]))
        var both = first
        both += second
        #expect(both == Self.histogram([50, 500, 5000, 20_000, 20_000]))
        #expect(both - first == second)
        #expect(Self.histogram([]).quantile(0.5) == nil)
        #expect(DurationHistogram([0.1, 1], counts: [1, 2], time: .zero) == nil)
        #expect(DurationHistogram([0.1], counts: [1, -2], time: .zero) == nil)
        #expect(DurationHistogram([0.1, 1, 10], counts: first.counts, time: first.time) == first)
    }
}
