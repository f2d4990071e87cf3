internal import FundCore

/// One metric in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct MetricFamily: Sendable {
    /// The types of Prometheus (https://prometheus.io/docs/concepts/metric_types/).
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    /// A label of a sample; values may hold any text.
    package typealias Label = (name: String, value: String)

    /// One value of the metric.
    package struct Sample: Sendable {
        var labels: [Label]
        var value: Double
        /// Appended to the family's name: `_bucket`, `_sum` and `_count` of histograms.
        var suffix: String

        package init(_ value: Double, _ labels: [Label] = [], suffix: String = "") {
            self.labels = labels
            self.value = value
            self.suffix = suffix
        }
    }

    var name: String
    var kind: Kind
    var help: String
    var samples: [Sample]

    package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    package init(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
        self.init(name, kind, help, [Sample(value)])
    }

    var text: String {
        let head = "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        return samples.reduce(into: head) { text, sample in
            let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
            text += name + sample.suffix + (labels.isEmpty ? "" : "{\(labels)}") + " \(Self.number(sample.value))\n"
        }
    }

    static func number(_ value: Double) -> String { Int64(exactly: value).map(String.init) ?? "\(value)" }

    private static func escaped(_ value: String) -> String {
        // By scalars: a quote with a combining accent is not the character `"`.
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

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
