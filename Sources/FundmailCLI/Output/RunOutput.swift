import FundCore
import Glibc
import Ingest
import Synchronization
import Terminal

/// Output of a replay while it goes on, and at its end.
final class ReplayOutput: Sendable {
    private struct State {
        var writer = JSONWriter(reserving: 4096)
        var failures: [String] = []
        var failure: CommandError?
    }

    /// Beyond it files are only counted.
    private static let maxListedFailures = 50

    private let json: Bool
    private let progress = RunProgress()
    /// Called once standard output cannot be written.
    private let onWriteFailure: @Sendable () -> Void
    private let state = Mutex(State())

    init(json: Bool, onWriteFailure: @escaping @Sendable () -> Void) {
        self.json = json
        self.onWriteFailure = onWriteFailure
    }

    /// Set when standard output could not be written, which stops the run.
    var writeFailure: CommandError? { state.withLock { $0.failure } }

    func take(_ event: IngestEvent) {
        state.withLock { state in
            switch event {
            case .stored(let message): if json { writeLine(message, &state) }
            case .failed(let reference, let error):
                let text = "\(error)"
                state.failures.append(text.hasPrefix(reference.text) ? text : "\(reference.text): \(text)")
            }
        }
        progress.take(event)
    }

    func finish(_ summary: RunSummary, isRehearsal: Bool) throws {
        try state.withLock { state in
            progress.clear()
            for failure in state.failures.prefix(Self.maxListedFailures) {
                Console.warn("not read: \(failure)")
            }
            if state.failures.count > Self.maxListedFailures {
                Console.warn("and \(state.failures.count - Self.maxListedFailures) more")
            }
            guard state.failure == nil else { return }
            if json { return try Console.write(MessageLine.summary(summary)) }
            try Console.write(RunSummaryText.render(summary, isRehearsal: isRehearsal))
        }
    }

    private func writeLine(_ message: StoredMessage, _ state: inout State) {
        guard state.failure == nil else { return }
        state.writer.removeAll()
        MessageLine.write(message, to: &state.writer)
        do { try Console.write(state.writer.bytes) } catch {
            state.failure = CommandError(error)
            onWriteFailure()
        }
    }
}

/// The end of a run, for people.
enum RunSummaryText {
    static func render(_ summary: RunSummary, isRehearsal: Bool) -> String {
        let rate = summary.seconds > 0 ? Int(Double(summary.seen) / summary.seconds) : 0
        var text = isRehearsal ? "Nothing was stored. This would become of " : ""
        text += "\(summary.seen) message\(summary.seen == 1 ? "" : "s") (\(Quantity.display(bytes: summary.bytes)))"
        text += isRehearsal ? ":\n\n" : " in \(Quantity.oneDecimal(summary.seconds)) s, \(rate) a second:\n\n"
        var table = Table(["", .number("")])
        for outcome in Outcome.allCases {
            table.add([outcome.rawValue, "\(summary.count(outcome))"])
            for reason in Reason.allCases where reason.outcome == outcome {
                if let count = summary.reasons[reason] { table.add(["  \(reason.rawValue)", "\(count)"]) }
            }
        }
        if summary.failed > 0 { table.add(["not read", "\(summary.failed)"]) }
        text += table.rendered(width: nil, indent: "  ")
        if summary.mayHoldOthers > 0 {
            let some = summary.mayHoldOthers == 1 ? "1 message holds" : "\(summary.mayHoldOthers) messages hold"
            text += "\n\(some) what looks like the beginning of another message, and was read as text: look at what "
            text += "`--json` lists with the defect \(Defect.otherMessageInside.rawValue).\n"
        }
        if summary.wasInterrupted { text += "\nInterrupted: run the same command again for the rest.\n" }
        if !isRehearsal, summary.count(.misrouted) + summary.count(.rejected) > 0 {
            text += "\n`fundmail report misrouted` shows what was not filed, and how to file it.\n"
        }
        return text
    }
}

/// A line on a terminal that shows how far a run is.
final class RunProgress: Sendable {
    private let line = ProgressLine(interval: .milliseconds(100))
    private let start = ContinuousClock.now
    private let summary = Mutex(RunSummary())

    @Sendable
    func take(_ event: IngestEvent) {
        guard line.isVisible else { return }
        summary.withLock { summary in
            summary.add(event)
            line.show(text(summary))
        }
    }

    func show(_ text: String) { line.show(text) }

    /// Clears the line before other output.
    func clear() { line.clear() }

    private func text(_ summary: RunSummary) -> String {
        let seconds = max((ContinuousClock.now - start).seconds, 0.001)
        let rate = Int(Double(summary.seen) / seconds)
        let megabytes = Quantity.oneDecimal(Double(summary.bytes) / 1e6 / seconds)
        return "\(summary.seen) messages, \(rate)/s, \(megabytes) MB/s: \(summary.counts(failed: "failed"))"
    }
}

extension RunSummary {
    /// `3 filed, 1 duplicate, 2 failed`, where `failed` is the word for messages that could not be read.
    func counts(failed word: String) -> String {
        let parts = Outcome.allCases.compactMap { outcome in outcomes[outcome].map { "\($0) \(outcome.rawValue)" } }
        return (parts + (failed > 0 ? ["\(failed) \(word)"] : [])).joined(separator: ", ")
    }
}
