/// One metric in Prometheus' text format (https://prometheus.io/docs/instrumenting/exposition_formats/).
package struct MetricFamily: Sendable {
    package enum Kind: String, Sendable { case counter, gauge, histogram }

    package typealias Label = (name: String, value: String)

    package struct Sample: Sendable {
        package var labels: [Label]
        package var value: Double
        /// Appended to the family's name: `_bucket`, `_sum` and `_count` of histograms.
        package var suffix: String

        package init(_ value: Double, _ labels: [Label] = [], suffix: String = "") {
            self.labels = labels
            self.value = value
            self.suffix = suffix
        }
    }

    package var name: String
    package var kind: Kind
    package var help: String
    package var samples: [Sample]

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

    static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }

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
