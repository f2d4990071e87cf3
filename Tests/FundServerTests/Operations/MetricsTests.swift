import HTTPTypes
import FundCore
import TestSupport
import Testing

@testable import FundServer

/// `/metrics` as a strict reader of the text format sees it
/// (https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format).
struct MetricsTests {
    private struct Sample {
        var name: String
        var labels: [String: String]
        var value: Double
    }

    private struct Exposition {
        var types: [String: String] = [:]
        var samples: [Sample] = []

        /// Throws for what Prometheus would refuse.
        init(_ text: String) throws {
            try #require(text.hasSuffix("\n"))
            var family = ""
            for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
                if let help = line.wholeMatch(of: /# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)/) {
                    family = String(help.1)
                    try #require(types[family] == nil, "\(family) stands twice")
                } else if let type = line.wholeMatch(of: /# TYPE ([a-z_:0-9A-Z]+) (counter|gauge|histogram)/) {
                    try #require(type.1 == family)
                    types[family] = String(type.2)
                } else {
                    let sample = try Self.sample(line)
                    let base =
                        types[family] == "histogram" ? ["_bucket", "_sum", "_count"].map { family + $0 } : [family]
                    try #require(base.contains(sample.name), "\(line)")
                    samples.append(sample)
                }
            }
        }

        private static func sample(_ line: Substring) throws -> Sample {
            let match = try #require(
                line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{(.*)\})? (-?[0-9.]+(e[-+]?[0-9]+)?|[+-]Inf|NaN)/),
                "\(line)")
            var labels: [String: String] = [:]
            var rest = match.3 ?? ""
            while !rest.isEmpty {
                let label = try #require(
                    rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((\\[\\"n]|[^\\"])*)"(,|$)/), "\(line)")
                try #require(labels.updateValue(String(label.2), forKey: String(label.1)) == nil, "\(line)")
                rest = rest[label.range.upperBound...]
            }
            let value = try #require(Double(match.4.replacing("Inf", with: "infinity")), "\(line)")
            return Sample(name: String(match.1), labels: labels, value: value)
        }

        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            samples.first { $0.name == name && $0.labels == labels }?.value
        }
    }

    @Test func areReadable() async throws {
        let harness = try await ServerHarness()
        for _ in 0..<3 { _ = try await harness.send("GET", "/healthz") }
        _ = try await harness.raw("GET /healthz HTTP/1.1\r\n\r\n")
        let text = try await harness.send("GET", "/metrics").text
        let metrics = try Exposition(text)
        let keys = metrics.samples.map { "\($0.name) \($0.labels.sorted { $0.key < $1.key })" }
        #expect(Set(keys).count == keys.count)
        for sample in metrics.samples where metrics.types[sample.name] == "counter" {
            #expect(sample.name.hasSuffix("_total"), "\(sample.name)")
            #expect(sample.value >= 0)
        }
        for name in [
            "process_start_time_seconds", "process_open_fds", "process_max_fds", "process_cpu_seconds_total",
            "process_resident_memory_bytes", "process_virtual_memory_bytes", "fundmail_http_connections",
        ] { #expect(try #require(metrics.value(name), "\(name)") > 0, "\(name)") }
        #expect(metrics.value("fundmail_http_refused_total", ["reason": "request"]) == 1)
        // The one that asks.
        #expect(metrics.value("fundmail_http_requests_in_flight") == 1)
        try await harness.stop()
    }

    /// Prometheus' own conventions of names, types and helps.
    @Test(.startsPrograms) func keepTheConventions() async throws {
        let harness = try await ServerHarness()
        _ = try await harness.send("GET", "/healthz")
        let file = harness.folder + "/metrics.txt"
        try TestFile.write(try await harness.send("GET", "/metrics").text, to: file)
        let output = try await offPool {
            try ToolRun.output([
                "sh", "-c", "exec \"$0\" check metrics <\"$1\"", "\(PackageRoot.path)/scripts/promtool", file,
            ])
        }
        #expect(output.isEmpty)
        try await harness.stop()
    }

    /// Buckets count all that is no longer than their bound; the last counts all.
    @Test func countsDurations() throws {
        let metrics = ServerMetrics()
        let times: [Duration] = [
            .microseconds(10), .milliseconds(1), .milliseconds(2), .milliseconds(300), .seconds(60),
        ]
        for time in times { metrics.count(.get, "/a", .ok, time) }
        metrics.count(.get, "/a", .notFound, .milliseconds(2))
        let exposition = try Exposition(metrics.families().map(\.text).joined())
        let name = "fundmail_http_request_duration_seconds"
        func count(_ bound: String) -> Double? {
            exposition.value(name + "_bucket", ["method": "GET", "route": "/a", "le": bound])
        }
        #expect(count("0.001") == 2)
        #expect(count("0.0025") == 4)
        #expect(count("0.25") == 4)
        #expect(count("0.5") == 5)
        #expect(count("10") == 5)
        #expect(count("+Inf") == 6)
        #expect(exposition.value(name + "_count", ["method": "GET", "route": "/a"]) == 6)
        let sum = try #require(exposition.value(name + "_sum", ["method": "GET", "route": "/a"]))
        #expect(abs(sum - 60.30501) < 0.0001)
        let bounds = exposition.samples.filter { $0.name == name + "_bucket" }.map(\.value)
        #expect(bounds == bounds.sorted())
    }
}
