import FundCore
import FundStore
import Ingest
import MailWatch
import Terminal

/// A summary for an administrator in the morning: what is new, what waits longest, what it waits for, and which
/// mailboxes fail.
struct MisrouteDigest {
    struct Cause {
        var record: MisrouteRecord
        var count: Int
        /// A command that a person may paste into a shell.
        var fix: String
    }

    let now: Timestamp
    /// Beginning of today: messages that came then or later are new.
    let since: Timestamp
    let counts: DeskCounts
    let newCount: Int
    let oldest: MisrouteRecord?
    /// Most messages first.
    let causes: [Cause]
    let otherCauses: Int
    /// Address of the pages, without a slash at the end; nil when the configuration does not tell.
    let pages: String?
    /// Mailboxes that do not do what they should.
    let mailboxes: [MailboxReport]

    init(_ store: FundStore, _ workspace: Workspace, since: Timestamp, now: Timestamp) async throws {
        (self.since, self.now) = (since, now)
        let desk = store.administration
        let digest = try await DeskDigest(of: desk, since: since)
        (counts, newCount, oldest) = (digest.counts, digest.newCount, digest.oldest)
        otherCauses = digest.otherCauses
        let fix = MisrouteFix(directory: try store.mail.directory(), words: workspace.words)
        var shown: [Cause] = []
        for cause in digest.causes {
            var like = MisrouteFilter()
            (like.like, like.attention) = (cause.first.id, .waiting)
            let records = try await desk.misroutes(like)
            guard let first = records.first else { continue }
            shown.append(Cause(record: first, count: records.count, fix: fix.command(for: records)))
        }
        causes = shown
        pages = workspace.configuration.server?.publicURL
        let overview = MailboxOverview(
            configuration: workspace.configuration, states: try await store.mail.mailboxStates())
        mailboxes = overview.entries.filter { $0.condition == .failing || $0.condition == .neverPolled }
    }

    // MARK: Words

    private var title: String { "Misrouted mail, \(Clock.local(now))" }

    /// Sentences about what waits and what was done.
    private var summary: [String] {
        var lines: [String] = []
        if let oldest {
            let new = newCount == 0 ? "nothing new" : newCount == counts.waiting ? "all new" : "\(newCount) of them new"
            lines.append(
                "\(counts.waiting) \(counts.waiting == 1 ? "waits" : "wait"), \(new) since \(Clock.local(since)); "
                    + "the oldest came \(Clock.local(oldest.receivedAt)).")
        } else {
            lines.append("Nothing waits.")
        }
        if counts.later > 0 { lines.append("\(counts.later) put off until later.") }
        lines.append(
            "Since \(Clock.local(since)): \(counts.filedByRule) filed by rule, \(counts.filedByHand) by hand, "
                + "\(counts.putAside) put aside.")
        return lines
    }

    /// One line for each cause that is shown.
    private var rows: [[String]] {
        causes.map { cause in
            let record = cause.record
            return [
                "\(cause.count)", Quantity.display(age: now - record.receivedAt), record.reason.rawValue,
                record.sender ?? "", record.tag.map { "[\($0)]" } ?? record.subject ?? "",
            ]
        }
    }

    private var rest: String? { otherCauses > 0 ? "and \(otherCauses) further causes: fundmail report misrouted" : nil }

    private func state(of entry: MailboxReport) -> String {
        let state = entry.state
        guard entry.condition == .failing else { return "never polled" }
        let last = state.lastSuccessAt.map { "last success \(Clock.local($0))" } ?? "never a success"
        let error = state.lastError ?? "the run failed"
        return "\(state.consecutiveFailures) runs in a row failed\(state.sinceWhen), \(last): \(error)"
    }

    // MARK: Forms

    func text(width: Int?) -> String {
        var text = title + "\n\n" + summary.joined(separator: "\n") + "\n"
        if !causes.isEmpty {
            let table = Table(
                [.number("COUNT"), .number("OLDEST"), "REASON", .shrinking("FROM"), .shrinking("TAG OR SUBJECT")], rows)
            text += "\n" + table.rendered(width: width, indent: "  ") + "\n"
            for cause in causes { text += "  \(cause.fix)\n" }
            if let rest { text += "  \(rest)\n" }
        }
        if let pages, oldest != nil { text += "\n  \(pages)/desk\n" }
        if !mailboxes.isEmpty {
            text += "\nMailboxes\n"
            for entry in mailboxes { text += TerminalText.clean("  \(entry.state.name): \(state(of: entry))") + "\n" }
        }
        return text
    }

    func html() -> String {
        var body = summary.map { "<p>\(HTMLText.escaped($0))</p>\n" }.joined()
        if !causes.isEmpty {
            body += """
                <table>
                <thead><tr><th class="n">Count</th><th class="n">Oldest</th><th>Reason</th><th>From</th>\
                <th>Tag or subject</th><th>Command</th></tr></thead>
                <tbody>

                """
            for (row, cause) in zip(rows, causes) {
                let cells = row.enumerated().map { index, cell in
                    let text = HTMLText.escaped(cell)
                    return "<td\(index < 2 ? " class=\"n\"" : "")>"
                        + (index == 2 ? link(text, to: "/desk/causes/\(cause.record.id)") : text) + "</td>"
                }
                body += "<tr>\(cells.joined())<td><code>\(HTMLText.escaped(cause.fix))</code></td></tr>\n"
            }
            body += "</tbody>\n</table>\n"
        }
        if let rest { body += "<p>\(HTMLText.escaped(rest))</p>\n" }
        if !mailboxes.isEmpty {
            body += "<h2>Mailboxes</h2>\n<table>\n<tbody>\n"
            for entry in mailboxes {
                let (name, state) = (HTMLText.escaped(entry.state.name), HTMLText.escaped(state(of: entry)))
                body += "<tr><td>\(name)</td><td>\(state)</td></tr>\n"
            }
            body += "</tbody>\n</table>\n"
        }
        return ReportPage.html(title: title, body: body)
    }

    /// Leads to a page, which shows and does nothing.
    private func link(_ markup: String, to path: String) -> String {
        pages.map { "<a href=\"\(HTMLText.escaped($0 + path))\">\(markup)</a>" } ?? markup
    }

    /// One object.
    func json() -> [UInt8] {
        JSONWriter.lines([self]) { line, digest in
            line.field("at", Clock.timestamp(digest.now))
            line.field("since", Clock.timestamp(digest.since))
            line.field("waiting", digest.counts.waiting)
            line.field("new", digest.newCount)
            line.field("later", digest.counts.later)
            line.field("oldest", digest.oldest.map { Clock.timestamp($0.receivedAt) })
            line.field("filed_by_rule", digest.counts.filedByRule)
            line.field("filed_by_hand", digest.counts.filedByHand)
            line.field("put_aside", digest.counts.putAside)
            line.field("causes", digest.causes) { json, cause in
                json.object {
                    $0.field("count", cause.count)
                    $0.field("oldest", Clock.timestamp(cause.record.receivedAt))
                    $0.field("reason", cause.record.reason.rawValue)
                    $0.field("from", cause.record.sender)
                    $0.field("tag", cause.record.tag)
                    $0.field("subject", cause.record.subject)
                    $0.field("message", cause.record.id)
                    $0.field("command", cause.fix)
                }
            }
            line.field("other_causes", digest.otherCauses)
            line.field("mailboxes", digest.mailboxes) { json, entry in
                json.object {
                    $0.field("mailbox", entry.state.name)
                    $0.field("condition", entry.condition.rawValue)
                    $0.field("consecutive_failures", entry.state.consecutiveFailures)
                    $0.field("failing_since", entry.state.failingSince.map(Clock.timestamp))
                    $0.field("last_success", entry.state.lastSuccessAt.map(Clock.timestamp))
                    $0.field("last_error", entry.state.lastError)
                }
            }
        }
    }
}
