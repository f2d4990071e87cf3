internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// How the server is doing, over HTTP.
struct HealthPageTests {
    private static let problem = "</bdi><script>alert(1)</script>\u{202E}"

    private static func harness(checks: [HealthCheck]? = nil) async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.checks = checks
        options.figures = HealthFigures(
            freeBytes: 12_300_000_000, searchBacklog: 3, failedScans: 2,
            letters: LetterFigures(waiting: 4, troubled: 1, problem: "mail.corp.example cannot be reached"),
            directory: DirectoryFigures(people: 12, readAt: 1_700_000_000, problem: "cards.example refuses <b>"),
            bucket: BucketFigures(waitingBytes: 8_400_000, problem: "s3.example refuses <i>"))
        return try await ServerHarness(options)
    }

    /// Two minutes of the last hour, and none between them.
    private static func fill(_ harness: ServerHarness, _ now: Timestamp) async throws {
        for (minutesAgo, filed) in [(10, 5), (8, 10)] as [(Int64, Int)] {
            var sample = HealthSample()
            sample.outcomes = [.filed: filed, .misrouted: 1]
            (sample.failedMessages, sample.failedRuns, sample.serverErrors, sample.refusedRequests) = (1, 2, 3, 4)
            (sample.waiting, sample.lagSeconds) = (7, 7200)
            for _ in 0..<filed { sample.timeToRow.note(.milliseconds(300)) }
            try await harness.store.administration.note(sample, at: now - .seconds(minutesAgo * 60))
        }
    }

    @Test
    func answersTheAPI() async throws {
        let harness = try await Self.harness()
        let now = Timestamp.now
        try await Self.fill(harness, now)
        let token = try await harness.token(of: harness.people.root)
        let answer = try await harness.send("GET", "/api/v1/admin/health?period=hour", token: token)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any], "\(answer.text)")
        #expect(json["period"] as? String == "hour" && json["slot_seconds"] as? Int == 60)
        #expect(json["free_bytes"] as? Int == 12_300_000_000 && json["search_backlog"] as? Int == 3)
        #expect(json["failed_scans"] as? Int == 2)
        let letters = try #require(json["letters"] as? [String: Any])
        #expect(letters["waiting"] as? Int == 4 && letters["troubled"] as? Int == 1)
        #expect(letters["problem"] as? String == "mail.corp.example cannot be reached")
        let directory = try #require(json["directory"] as? [String: Any])
        #expect(directory["people"] as? Int == 12 && directory["read_at"] as? Int == 1_700_000_000)
        #expect(directory["problem"] as? String == "cards.example refuses <b>")
        let bucket = try #require(json["bucket"] as? [String: Any])
        #expect(
            bucket["waiting_bytes"] as? Int == 8_400_000 && bucket["problem"] as? String == "s3.example refuses <i>")
        let checks = try #require(json["checks"] as? [[String: Any]])
        #expect(checks.map { $0["name"] as? String } == ["store"] && checks[0]["problem"] is NSNull)
        let slots = try #require(json["slots"] as? [[String: Any]])
        #expect(slots.map { $0["filed"] as? Int } == [5, 10])
        #expect(slots[0]["lag_seconds"] as? Int == 7200 && slots[0]["server_errors"] as? Int == 3)
        let median = try #require(slots[0]["median_processing_seconds"] as? Double)
        #expect((0.25...0.5).contains(median))
        let week = try await harness.send("GET", "/api/v1/admin/health?period=week", token: token)
        #expect(week.text.contains(#""slot_seconds":3600"#) && week.text.contains(#""filed":"#))
        for wrong in ["year", "", "hour&period=day"] {
            let refused = try await harness.send("GET", "/api/v1/admin/health?period=\(wrong)", token: token)
            #expect(refused.status == 400, "\(wrong)")
        }
        try await harness.stop()
    }

    /// Charts with their texts, what was not measured, and the table; in both languages.
    @Test
    func drawsCharts() async throws {
        let harness = try await Self.harness()
        try await Self.fill(harness, .now)
        let root = try await BrowserSession(harness.people.root, harness)
        for period in HealthPeriod.allCases {
            let page = try await root.get("/office/health?period=\(period.rawValue)", harness)
            #expect(page.status == 200)
            #expect(page.text.components(separatedBy: "<svg role=\"img\"").count == 5)
            #expect(page.text.components(separatedBy: "class=\"gap\" x=").count >= 5)
            #expect(page.text.contains("Not measured") && page.text.contains("12 GB left"))
            #expect(page.text.contains("3 changes are not found yet"))
            #expect(page.text.contains("Filed: 15, ") && page.text.contains("fill=\"url(#stripes)\""))
        }
        let hour = try await root.get("/office/health", harness)
        #expect(hour.text.contains("Messages. Filed: 15, "))
        #expect(hour.text.contains("Most in one bar: 12."))
        #expect(hour.text.contains("<td>10</td><td>0</td><td>1</td><td>0</td><td>1</td><td>7</td><td>2 h</td>"))
        #expect(hour.text.components(separatedBy: "<td colspan=\"12\">").count == 4)
        let chinese = try await root.get("/office/health", harness, fields: ["Accept-Language": "zh-CN"])
        #expect(chinese.text.contains("运行状况") && chinese.text.contains("未测量"))
        #expect(!chinese.text.contains("Not measured"))
        #expect(try await root.get("/office/health?period=year", harness).status == 400)
        try await harness.stop()
    }

    @Test
    func showsWhatIsWrong() async throws {
        let checks = [
            HealthCheck("store") { nil }, HealthCheck("disk") { Self.problem }, HealthCheck("<other>") { nil },
        ]
        let harness = try await Self.harness(checks: checks)
        let root = try await BrowserSession(harness.people.root, harness)
        let page = try await root.get("/office/health", harness)
        #expect(page.text.contains("Takes writes") && page.text.contains("The disk is nearly full."))
        #expect(page.text.contains("<bdi lang=\"en\">&lt;/bdi&gt;&lt;script&gt;alert(1)&lt;/script&gt;\u{202E}</bdi>"))
        #expect(!page.text.contains("<script>alert") && page.text.contains("<bdi>&lt;other&gt;</bdi>"))
        #expect(page.text.contains("It cannot be read now, and still shows 12 people"))
        #expect(page.text.contains("cards.example refuses &lt;b&gt;"))
        #expect(page.text.contains("It cannot be used now; 8.4 MB of the log are on this disk only"))
        #expect(page.text.contains("s3.example refuses &lt;i&gt;"))
        #expect(page.text.contains("Nothing was measured in this time."))
        // The public endpoint says less.
        let ready = try await harness.send("GET", "/readyz")
        #expect(ready.status == 503 && ready.text == "failing: disk\n")
        #expect(harness.metrics.failures.serverErrors == 0)
        try await harness.stop()
    }

    @Test(
        arguments: [
            (0, 1), (1, 1), (1.2, 2), (2, 2), (3, 5), (7, 10), (10, 10), (12, 20), (999, 1000), (1000, 1000),
            (1001, 2000),
        ] as [(Double, Double)])
    func countsEndAtARoundNumber(most: Double, top: Double) {
        #expect(abs(HealthChart.Unit.pieces.top(for: most) - top) < top * 1e-9)
    }

    @Test(
        arguments: [
            (0, 1), (0.0012, 0.002), (0.3, 0.5), (1, 1), (1.2, 2), (12, 20), (31, 60), (1500, 1800), (4000, 7200),
            (20_000, 21_600), (86_400, 86_400), (90_000, 172_800),
        ] as [(Double, Double)])
    func timesEndAtARoundTime(most: Double, top: Double) {
        #expect(abs(HealthChart.Unit.seconds.top(for: most) - top) < top * 1e-9)
    }

    @Test(
        arguments: [
            (0, "0"), (0.0001, "1 ms"), (0.25, "250 ms"), (1, "1 s"), (1.26, "1.3 s"), (12.6, "13 s"), (90, "1.5 min"),
            (7200, "2 h"), (200_000, "2.3 d"),
        ] as [(Double, String)])
    func durations(seconds: Double, text: String) {
        #expect(Formats(words: Words(language: .en), now: 0).seconds(seconds) == text)
    }
}
