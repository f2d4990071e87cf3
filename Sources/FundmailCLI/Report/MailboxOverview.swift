import FundCore
import MailWatch
import Terminal

/// Configured mailboxes and remembered ones, side by side.
struct MailboxOverview: Sendable {
    let entries: [MailboxReport]

    init(configuration: Configuration, states: [MailboxState]) {
        // With --store alone the configured mailboxes are unknown.
        let configured = configuration.file.map { _ in configuration.mailboxes.map(\.name) }
        entries = MailboxReport.all(configured: configured, states: states)
    }

    // MARK: For people

    func text(width: Int?, now: Timestamp = .now) -> String {
        guard !entries.isEmpty else { return "No mailbox is configured; the comments in fundmail.yaml show how.\n" }
        var table = Table([
            .shrinking("MAILBOX"), "CONDITION", "LAST SUCCESS", .number("WAITING"), "OLDEST", .number("RUNS"),
            .number("FILED"), .number("MISROUTED"), .number("REJECTED"), .number("DUPLICATE"), .number("BYTES"),
        ])
        for entry in entries {
            let state = entry.state
            table.add([
                state.name, entry.condition.rawValue.replacing("_", with: " "),
                state.lastSuccessAt.map(Clock.local) ?? "-", "\(state.waiting)",
                state.oldestWaitingAt.map { Quantity.display(age: now - $0) } ?? "", "\(state.runs)",
                "\(state.totals[.filed] ?? 0)", "\(state.totals[.misrouted] ?? 0)", "\(state.totals[.rejected] ?? 0)",
                "\(state.totals[.duplicate] ?? 0)", Quantity.display(bytes: state.bytes),
            ])
        }
        let errors = entries.compactMap(Self.lastError)
        return table.rendered(width: width) + (errors.isEmpty ? "" : "\n" + errors.joined())
    }

    /// A line with the last failure, also when later runs succeeded.
    private static func lastError(_ entry: MailboxReport) -> String? {
        let state = entry.state
        guard let text = state.lastError, let when = state.lastErrorAt else { return nil }
        let count = state.consecutiveFailures
        let now =
            count > 1
            ? "\(count) runs in a row failed\(state.sinceWhen)" : count == 1 ? "the last run failed" : "overcome since"
        return TerminalText.clean("\(state.name): \(now); at \(Clock.local(when)): \(text)") + "\n"
    }

    // MARK: For programs

    var json: [UInt8] {
        JSONWriter.lines(entries) { line, entry in
            let state = entry.state
            line.field("mailbox", state.name)
            line.field("condition", entry.condition.rawValue)
            line.field("configured", entry.condition != .notConfigured)
            line.field("address", state.address)
            line.field("last_attempt", state.lastAttemptAt.map(Clock.timestamp))
            line.field("last_success", state.lastSuccessAt.map(Clock.timestamp))
            line.field("last_error", state.lastError)
            line.field("last_error_at", state.lastErrorAt.map(Clock.timestamp))
            line.field("consecutive_failures", state.consecutiveFailures)
            line.field("failing_since", state.failingSince.map(Clock.timestamp))
            line.field("waiting", state.waiting)
            line.field("oldest_waiting", state.oldestWaitingAt.map(Clock.timestamp))
            line.field("runs", state.runs)
            line.field("filed", state.totals[.filed] ?? 0)
            line.field("misrouted", state.totals[.misrouted] ?? 0)
            line.field("rejected", state.totals[.rejected] ?? 0)
            line.field("duplicate", state.totals[.duplicate] ?? 0)
            line.field("failed_messages", state.failedMessages)
            line.field("bytes", state.bytes)
        }
    }
}

extension MailboxState {
    /// ` since …` behind the words for its failed runs; empty when that is not known.
    var sinceWhen: String { failingSince.map { " since \(Clock.local($0))" } ?? "" }
}
