import ArgumentParser
import FundCore
import FundStore
import Terminal

struct OutboxListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List letters and their states, the latest first.",
        discussion: """
            States: queued and deferred wait; sending; sent; failed and uncertain need a look; dropped. `waiting` and \
            `troubled` name two of them each.

            Examples:
              fundmail outbox list --state troubled
              fundmail outbox list --to ann@example.com --json
            """)

    @OptionGroup var options: OutboxFilterOptions
    @Flag(help: "Print one JSON object a line.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore(.readOnly)
        let filter = try options.filter()
        let letters = try await ListPage.all { try await store.outbox.letters(filter, $0) }
        let messages = try await store.administration.messages(of: letters.map(\.cause))
        try Listing(
            items: letters, ifEmpty: options.isEmpty ? "No letter is on its way." : "There is no such letter.",
            columns: [
                .number("ID"), "STATE", .shrinking("TO"), .shrinking("ABOUT"), "QUEUED", .number("ATTEMPTS"), "NEXT",
                .shrinking("LAST REPLY OR REASON"),
            ],
            row: { letter in
                [
                    "\(letter.id)", letter.state.rawValue, letter.recipient,
                    OutboxWords.about(letter.cause, messages[letter.cause]), Clock.local(letter.queuedAt),
                    "\(letter.attempts)", letter.dueAt.map(Clock.local) ?? "", letter.note ?? "",
                ]
            },
            fields: { $0.letter($1, about: messages[$1.cause]) }
        ).write(json: json)
        guard !json else { return }
        let summary = OutboxSummary(try await store.outbox.outboxCounts(), workspace: workspace)
        for line in summary.lines { try Console.line(line) }
    }
}

/// Sentences below the list: how much waits, and what to do next.
private struct OutboxSummary {
    private(set) var lines: [String] = []

    init(_ counts: OutboxCounts, workspace: Workspace) {
        func command(_ words: String...) -> String { "`\(workspace.command(["outbox"] + words))`" }
        let (failed, uncertain) = (counts.letters[.failed] ?? 0, counts.letters[.uncertain] ?? 0)
        if counts.waiting > 0 {
            let since = counts.oldestWaiting.map { ", the oldest since \(Clock.local($0))" } ?? ""
            lines.append(counts.waiting == 1 ? "1 letter waits\(since)." : "\(counts.waiting) letters wait\(since).")
        }
        if failed > 0 {
            lines.append(
                "\(failed) failed: \(command("show", "ID")) says why, "
                    + "\(command("retry", "--state", "failed")) sends them anew.")
        }
        if uncertain > 0 {
            lines.append(
                "\(uncertain) may have arrived: \(command("drop", "--state", "uncertain")) leaves it at that.")
        }
        if workspace.configuration.smtp == nil {
            lines.append("Letters are off: no smtp: in the configuration.")
        }
    }
}

extension JSONWriter {
    /// The members of a letter, with times as RFC 3339 has them.
    /// - Parameter message: the mail that it is about; nil when that is gone.
    mutating func letter(_ letter: OutboxLetter, about message: AuditNames.Message?) {
        self.letter(letter, about: message) { $0.field($1, $2.map(Clock.timestamp)) }
    }
}
