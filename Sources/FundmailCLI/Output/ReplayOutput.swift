import Glibc
import FundCore
import Ingest
import Synchronization

/// What a run shows while it goes on, and at its end.
final class ReplayOutput: Sendable {
    private struct State {
        var writer = JSONWriter(reserving: 4096)
        var failures: [String] = []
        var failure: CommandError?
        var progress = RunProgress()
    }

    /// Beyond it files are only counted.
    private static let maxListedFailures = 50

    private let json: Bool
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
            state.progress.count(event)
            switch event {
            case .stored(let message): if json { writeLine(message, &state) }
            case .failed(let reference, let error):
                let text = "\(error)"
                state.failures.append(text.hasPrefix(reference.text) ? text : "\(reference.text): \(text)")
            }
            state.progress.show()
        }
    }

    func finish(_ summary: RunSummary, isRehearsal: Bool) throws {
        try state.withLock { state in
            state.progress.clear()
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
            state.failure = CommandError(error)
            onWriteFailure()
        }
    }
}
