import Glibc
import Ingest
import Synchronization

/// What a run shows while it goes on, and at its end.
final class ReplayOutput: Sendable {
    private struct State {
        var writer = JSONWriter(reserving: 4096)
        var failures: [String] = []
        var failure: CommandFailure?
        var seen = 0
        var bytes: Int64 = 0
        var outcomes: [Outcome: Int] = [:]
        var lastProgress: ContinuousClock.Instant
        var showsProgress: Bool
    }

    /// Often enough to look alive, seldom enough to cost nothing.
    private static let progressInterval = Duration.milliseconds(100)
    /// Beyond it files are only counted.
    private static let maxListedFailures = 50

    private let json: Bool
    private let signals: StopSignal
    private let start = ContinuousClock.now
    private let state: Mutex<State>

    init(json: Bool, signals: StopSignal) {
        self.json = json
        self.signals = signals
        state = Mutex(State(lastProgress: .now, showsProgress: Console.errorIsTerminal))
    }

    /// Nobody takes the lines any more: the run was stopped for it.
    var writeFailure: CommandFailure? { state.withLock { $0.failure } }

    func take(_ event: IngestEvent) {
        state.withLock { state in
            switch event {
            case .stored(let message):
                state.seen += 1
                state.bytes += message.message.spooled.size
                state.outcomes[message.outcome, default: 0] += 1
                if json { writeLine(message, &state) }
            case .failed(let reference, let error):
                state.seen += 1
                let text = "\(error)"
                state.failures.append(text.hasPrefix(reference.text) ? text : "\(reference.text): \(text)")
            }
            showProgress(&state)
        }
    }

    func finish(_ summary: RunSummary, isRehearsal: Bool) throws {
        try state.withLock { state in
            if state.showsProgress { Console.error("\r\u{1B}[K") }
            for failure in state.failures.prefix(Self.maxListedFailures) {
                Console.error("fundmail: not read: \(TerminalText.clean(failure))\n")
            }
            if state.failures.count > Self.maxListedFailures {
                Console.error("fundmail: and \(state.failures.count - Self.maxListedFailures) more\n")
            }
            guard state.failure == nil else { return }
            if json {
                state.writer.removeAll()
                MessageLine.summary(summary, to: &state.writer)
                try Console.write(state.writer.bytes)
            } else {
                try Console.write(RunSummaryText.render(summary, isRehearsal: isRehearsal))
            }
        }
    }

    private func writeLine(_ message: StoredMessage, _ state: inout State) {
        guard state.failure == nil else { return }
        state.writer.removeAll()
        MessageLine.write(message, to: &state.writer)
        do { try Console.write(state.writer.bytes) } catch {
            state.failure = CommandFailure(error)
            signals.stop()
        }
    }

    private func showProgress(_ state: inout State) {
        let now = ContinuousClock.now
        guard state.showsProgress, now - state.lastProgress >= Self.progressInterval else { return }
        state.lastProgress = now
        let seconds = max((now - start).seconds, 0.001)
        let rate = Int(Double(state.seen) / seconds)
        let megabytes = Quantity.oneDecimal(Double(state.bytes) / 1e6 / seconds)
        let outcomes = Outcome.allCases.compactMap { outcome in
            state.outcomes[outcome].map { "\($0) \(outcome.rawValue)" }
        }
        let failed = state.failures.isEmpty ? [] : ["\(state.failures.count) failed"]
        let line =
            "\(state.seen) messages, \(rate)/s, \(megabytes) MB/s: " + (outcomes + failed).joined(separator: ", ")
        Console.error("\r\u{1B}[K\(TerminalText.truncate(line, to: 100))")
    }
}
