import FundCore
import MailWatch

/// Configured mailboxes and remembered ones, side by side.
struct MailboxOverview: Sendable {
    enum Condition: String, Sendable {
        case ok
        case failing
        case neverPolled = "never_polled"
        /// The store remembers it, the configuration does not name it.
        case notConfigured = "not_configured"

        var text: String { rawValue.replacing("_", with: " ") }
    }

    struct Entry: Sendable {
        var state: MailboxState
        var condition: Condition
    }

    /// In the order of the configuration, then those that are no longer in it, by name.
    let entries: [Entry]

    init(configuration: Configuration, states: [MailboxState]) {
        let configured = configuration.mailboxes.map(\.name)
        let known = configured.map { name in states.first { $0.name == name } ?? MailboxState(name: name) }
        let others = states.filter { !configured.contains($0.name) }.sorted { $0.name < $1.name }
        // With --store alone the configured mailboxes are unknown.
        let isKnowing = configuration.file != nil
        entries =
            known.map { Entry(state: $0, condition: Self.condition($0)) }
            + others.map { Entry(state: $0, condition: isKnowing ? .notConfigured : Self.condition($0)) }
    }

    private static func condition(_ state: MailboxState) -> Condition {
        state.lastAttemptAt == nil ? .neverPolled : state.consecutiveFailures > 0 ? .failing : .ok
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
                state.name, entry.condition.text, state.lastSuccessAt.map(Clock.local) ?? "-", "\(state.waiting)",
                state.oldestWaitingAt.map { Quantity.display(age: now - $0) } ?? "", "\(state.runs)",
                "\(state.totals[.filed] ?? 0)", "\(state.totals[.misrouted] ?? 0)", "\(state.totals[.rejected] ?? 0)",
                "\(state.totals[.duplicate] ?? 0)", Quantity.display(bytes: state.bytes),
            ])
        }
        let errors = entries.compactMap(Self.lastError)
        return table.rendered(width: width) + (errors.isEmpty ? "" : "\n" + errors.joined())
    }

    /// A line with the last failure, also when later runs succeeded.
    private static func lastError(_ entry: Entry) -> String? {
        let state = entry.state
        guard let text = state.lastError, let when = state.lastErrorAt else { return nil }
        let count = state.consecutiveFailures
        let now = count > 1 ? "\(count) runs in a row failed" : count == 1 ? "the last run failed" : "overcome since"
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
