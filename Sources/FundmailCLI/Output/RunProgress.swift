import FundCore
import Ingest

/// The line on a terminal that shows how far a run is.
struct RunProgress {
    /// Shortest time between two updates.
    private static let interval = Duration.milliseconds(100)

    private let isShown = Console.errorIsTerminal
    private let start = ContinuousClock.now
    private var last = ContinuousClock.now
    private var seen = 0
    private var failed = 0
    private var bytes: Int64 = 0
    private var outcomes: [Outcome: Int] = [:]

    mutating func count(_ event: IngestEvent) {
        seen += 1
        switch event {
        case .stored(let message):
            bytes += message.message.spooled.size
            outcomes[message.outcome, default: 0] += 1
        case .failed: failed += 1
        }
    }

    /// Clears the line before other output.
    func clear() {
        if isShown { Console.error("\r\u{1B}[K") }
    }

    mutating func show() {
        let now = ContinuousClock.now
        guard isShown, now - last >= Self.interval else { return }
        last = now
        let seconds = max((now - start).seconds, 0.001)
        let rate = Int(Double(seen) / seconds)
        let megabytes = Quantity.oneDecimal(Double(bytes) / 1e6 / seconds)
        var parts = Outcome.allCases.compactMap { outcome in outcomes[outcome].map { "\($0) \(outcome.rawValue)" } }
        if failed > 0 { parts.append("\(failed) failed") }
        let line = "\(seen) messages, \(rate)/s, \(megabytes) MB/s: " + parts.joined(separator: ", ")
        Console.error("\r\u{1B}[K\(TerminalText.truncate(line, to: 100))")
    }
}
