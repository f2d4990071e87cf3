import FundCore
import Ingest
import MailWatch
import Synchronization

/// What a poll shows while it goes on, and at its end: a line for each mailbox, or JSON lines as `replay` prints them.
final class PollOutput: Sendable {
    private struct State {
        var writer = JSONWriter(reserving: 4096)
        var failure: CommandError?
        var progress = RunProgress()
        var didPrintTitles = false
        var failures = 0
    }

    /// Beyond it messages that could not be had are only counted.
    private static let maxListedFailures = 50

    private let json: Bool
    private let nameWidth: Int
    /// Called once standard output cannot be written.
    private let onWriteFailure: @Sendable () -> Void
    private let state = Mutex(State())

    init(json: Bool, mailboxes: [String], onWriteFailure: @escaping @Sendable () -> Void) {
        self.json = json
        self.onWriteFailure = onWriteFailure
        nameWidth = mailboxes.map(TerminalText.width).max() ?? 0
    }

    var writeFailure: CommandError? { state.withLock { $0.failure } }

    func take(_ event: IngestEvent) {
        state.withLock { state in
            state.progress.count(event)
            switch event {
            case .stored(let message):
                guard json else { break }
                state.writer.removeAll()
                MessageLine.write(message, to: &state.writer)
                write(state.writer.bytes, &state)
            case .failed(let reference, let error):
                state.failures += 1
                guard state.failures <= Self.maxListedFailures else { break }
                state.progress.clear()
                Console.error("fundmail: not read: \(TerminalText.clean("\(reference.text): \(error)"))\n")
            }
            state.progress.show()
        }
    }

    /// A mailbox is done.
    func finish(_ result: MailboxResult) {
        state.withLock { state in
            state.progress.clear()
            if !json {
                if !state.didPrintTitles { write(Array(MailboxRow.titles(nameWidth: nameWidth).utf8), &state) }
                state.didPrintTitles = true
                let row = MailboxRow.text(
                    result.mailbox.name, result.summary, hasFailed: result.error != nil, nameWidth: nameWidth)
                write(Array(row.utf8), &state)
            }
            if let error = result.error {
                let failure = CommandError(error, at: result.mailbox)
                Console.error("fundmail: \(TerminalText.clean(failure.message))\n")
            }
            state.progress.show()
        }
    }

    /// The run is over.
    func finish(_ total: RunSummary, mailboxes: Int) throws {
        try state.withLock { state in
            state.progress.clear()
            if state.failures > Self.maxListedFailures {
                Console.error("fundmail: and \(state.failures - Self.maxListedFailures) more\n")
            }
            guard state.failure == nil else { return }
            if json {
                state.writer.removeAll()
                MessageLine.summary(total, to: &state.writer)
                return try Console.write(state.writer.bytes)
            }
            if mailboxes > 1 {
                try Console.write(MailboxRow.text("all", total, hasFailed: false, nameWidth: nameWidth))
            }
            if total.wasInterrupted { try Console.line("\nInterrupted: run the same command again for the rest.") }
            if total.count(.misrouted) + total.count(.rejected) > 0 {
                try Console.line("\n`fundmail report misrouted` shows what was not filed, and how to file it.")
            }
        }
    }

    private func write(_ bytes: [UInt8], _ state: inout State) {
        guard state.failure == nil else { return }
        do { try Console.write(bytes) } catch {
            state.failure = CommandError(error)
            onWriteFailure()
        }
    }
}
