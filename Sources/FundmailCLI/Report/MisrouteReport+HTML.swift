import FundCore
import Terminal

extension MisrouteReport {
    func html() -> String {
        let about = "<p>\(count) kept, as of \(HTMLText.escaped(Clock.local(now))).</p>\n\n"
        return ReportPage.html(title: "Misrouted mail", body: about + groups.map(section).joined())
    }

    private func section(_ group: Group) -> String {
        var text = """
            <h2>\(HTMLText.escaped(group.reason.rawValue)) (\(group.entries.count), \
            \(group.reason.outcome.rawValue))</h2>
            <p>\(HTMLText.escaped(Self.explanation(group.reason)))</p>
            <table>
            <thead><tr><th class="n">Id</th><th class="n">Age</th><th>From</th>\
            <th>Subject</th><th>Near</th><th>Command</th></tr></thead>
            <tbody>

            """
        for entry in group.entries {
            let record = entry.record
            let subject = (entry.quarantine.map { "(\($0)) " } ?? "") + (record.subject ?? "")
            let done = Self.resolution(record)
            let last = done.map { HTMLText.escaped($0) } ?? "<code>\(HTMLText.escaped(entry.fix))</code>"
            text += """
                <tr><td class="n">\(record.id)</td><td class="n">\(Quantity.display(age: now - record.receivedAt))</td>\
                <td>\(HTMLText.escaped(record.sender ?? ""))</td><td>\(HTMLText.escaped(subject))</td>\
                <td>\(HTMLText.escaped(record.suggestions.joined(separator: ", ")))</td><td>\(last)</td></tr>

                """
        }
        return text + "</tbody>\n</table>\n"
    }
}
