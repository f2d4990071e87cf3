import Testing

@testable import Terminal

@Suite struct QuantityTests {
    @Test(
        arguments: [
            ("100", 100), ("100B", 100), ("1KB", 1000), ("100MB", 100_000_000), ("1 GiB", 1 << 30), ("2m", 2 << 20),
            ("", nil), ("MB", nil), ("-1", nil), ("1.5MB", nil), ("9999999999GB", nil), ("1XB", nil),
        ] as [(String, Int64?)])
    func sizes(text: String, bytes: Int64?) { #expect(Quantity.bytes(text) == bytes) }

    @Test(
        arguments: [
            ("60s", 60), ("5m", 300), ("1h", 3600), ("7d", 604_800), ("2w", 1_209_600), ("60", nil), ("s", nil),
            ("-1s", nil), ("1y", nil),
        ] as [(String, Int?)])
    func durations(text: String, seconds: Int?) { #expect(Quantity.seconds(text) == seconds) }

    @Test(
        arguments: [
            (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9949, "9.9 kB"), (9950, "10 kB"), (999_499, "999 kB"),
            (999_500, "1.0 MB"), (.max, "9223 PB"),
        ] as [(Int64, String)])
    func shownSizes(bytes: Int64, text: String) { #expect(Quantity.display(bytes: bytes) == text) }

    @Test(arguments: [
        (-1, "0 s"), (7.2, "8 s"), (60, "1 min"), (200, "3 min 20 s"), (7200, "2 h"), (7500, "2 h 5 min"),
        (.infinity, "277777 h 46 min"),
    ])
    func shownDurations(seconds: Double, text: String) { #expect(Quantity.display(seconds: seconds) == text) }

    @Test(arguments: [(90, "90s"), (300, "5m"), (3600, "1h"), (604_800, "1w"), (0, "0s")])
    func settings(seconds: Int, text: String) { #expect(Quantity.setting(seconds: seconds) == text) }
}
