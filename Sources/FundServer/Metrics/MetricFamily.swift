package import FundCore

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

extension MetricFamily {
    /// A histogram without labels.
    package init(_ name: String, _ help: String, _ durations: DurationHistogram) {
        self.init(name, .histogram, help, Sample.all(of: durations))
    }

    /// A histogram for each set of labels.
    package init(_ name: String, _ help: String, _ durations: [(labels: [Label], durations: DurationHistogram)]) {
        self.init(name, .histogram, help, durations.flatMap { Sample.all(of: $0.durations, $0.labels) })
    }
}

extension MetricFamily.Sample {
    /// The samples of a histogram: how many durations are no longer than each bound, then sum and count.
    static func all(of durations: DurationHistogram, _ labels: [MetricFamily.Label] = []) -> [Self] {
        var total = 0
        var samples: [Self] = []
        for (index, count) in durations.counts.enumerated() {
            total += count
            let bound = index < durations.bounds.count ? MetricFamily.number(durations.bounds[index]) : "+Inf"
            samples.append(Self(Double(total), labels + [("le", bound)], suffix: "_bucket"))
        }
        samples.append(Self(durations.time.seconds, labels, suffix: "_sum"))
        samples.append(Self(Double(total), labels, suffix: "_count"))
        return samples
    }
}
