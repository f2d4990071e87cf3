import FundCore
import Ingest

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
