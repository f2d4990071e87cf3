import FundCore
import Ingest
import MailWatch
import Synchronization
import Terminal

/// Output of a poll: a line for each mailbox as it ends, or JSON lines as `replay` prints them.
final class PollOutput: Sendable {
    private struct State {
        var writer = JSONWriter(reserving: 4096)
        var failure: CommandError?
        var didPrintTitles = false
        var failures = 0
    }

    /// Beyond it messages that could not be had are only counted.
    private static let maxListedFailures = 50

    private let json: Bool
    private let progress = RunProgress()
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
            switch event {
            case .stored(let message):
                guard json else { break }
                state.writer.removeAll()
                MessageLine.write(message, to: &state.writer)
                write(state.writer.bytes, &state)
            case .failed(let reference, let error):
                state.failures += 1
                guard state.failures <= Self.maxListedFailures else { break }
                progress.clear()
                Console.warn("not read: \(reference.text): \(error)")
            }
        }
        progress.take(event)
    }

    /// A mailbox is done.
    func finish(_ result: MailboxResult) {
        state.withLock { state in
            progress.clear()
            if !json {
                if !state.didPrintTitles { write(Array(MailboxRow.titles(nameWidth: nameWidth).utf8), &state) }
                state.didPrintTitles = true
                let row = MailboxRow.text(
                    result.mailbox.name, result.summary, hasFailed: result.error != nil, nameWidth: nameWidth)
                write(Array(row.utf8), &state)
            }
            if let error = result.error {
                let failure = CommandError(error, at: result.mailbox)
                Console.warn(failure.message)
            }
        }
    }

    /// The run is over.
    func finish(_ total: RunSummary, mailboxes: Int) throws {
        try state.withLock { state in
            progress.clear()
            if state.failures > Self.maxListedFailures {
                Console.warn("and \(state.failures - Self.maxListedFailures) more")
            }
            guard state.failure == nil else { return }
            if json { return try Console.write(MessageLine.summary(total)) }
            if mailboxes > 1 {
                try Console.write(MailboxRow.text("all", total, hasFailed: false, nameWidth: nameWidth))
            }
            if total.wasInterrupted { try Console.write("\nInterrupted: run the same command again for the rest.\n") }
            if total.count(.misrouted) + total.count(.rejected) > 0 {
                try Console.write("\n`fundmail report misrouted` shows what was not filed, and how to file it.\n")
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

/// One line of the table. Lines are printed as mailboxes finish, so the columns have fixed widths.
enum MailboxRow {
    private static let titles = ["NEW", "FILED", "MISROUTED", "REJECTED", "DUPLICATE", "FAILED", "BYTES", "SECONDS"]
    private static let widths = [7, 7, 9, 8, 9, 6, 7, 7]

    static func titles(nameWidth: Int) -> String { line("MAILBOX", titles, nameWidth) }

    static func text(_ name: String, _ summary: RunSummary, hasFailed: Bool, nameWidth: Int) -> String {
        let numbers = [
            summary.seen, summary.count(.filed), summary.count(.misrouted), summary.count(.rejected),
            summary.count(.duplicate), summary.failed,
        ]
        // A failed run that saw nothing shows no counts: zeros would look like an empty mailbox.
        let isUnknown = hasFailed && summary.seen == 0
        let counts = (numbers.map(String.init) + [Quantity.display(bytes: summary.bytes)]).map { isUnknown ? "-" : $0 }
        let cells = counts + [Quantity.oneDecimal(summary.seconds)]
        return line(name, cells, nameWidth)
    }

    private static func line(_ name: String, _ cells: [String], _ nameWidth: Int) -> String {
        let padded = zip(cells, widths).map { TerminalText.pad($0, to: $1, alignRight: true) }
        return ([TerminalText.pad(name, to: max(nameWidth, 7))] + padded).joined(separator: "  ") + "\n"
    }
}
