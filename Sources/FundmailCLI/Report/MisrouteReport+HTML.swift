import FundCore

extension MisrouteReport {
    /// One page that needs nothing else, runs nothing, and reads well on paper.
    func html() -> String {
        var page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="referrer" content="no-referrer">
            <title>Misrouted mail</title>
            <style>
            body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; \
            color: #1c1c1c; }
            h2 { margin: 2em 0 .2em; font-size: 1.15em; } p { margin: .2em 0 .8em; color: #555; }
            table { border-collapse: collapse; width: 100%; table-layout: auto; }
            th, td { text-align: left; vertical-align: top; padding: .35em .7em .35em 0; border-top: 1px solid #ddd; }
            td { overflow-wrap: anywhere; } .n { text-align: right; white-space: nowrap; }
            code { font: 13px/1.4 ui-monospace, monospace; background: #f3f3f3; padding: .1em .3em; }
            @media print { body { margin: 0; max-width: none; font-size: 10pt; } tr { break-inside: avoid; }
              code { background: none; padding: 0; } }
            </style>
            </head>
            <body>
            <h1>Misrouted mail</h1>
            <p>\(count) kept, as of \(HTMLText.escaped(Clock.local(now))).</p>

            """
        for group in groups { page += section(group) }
        return page + "</body>\n</html>\n"
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
            let done = Self.resolution(record)
            let last = done.map { HTMLText.escaped($0) } ?? "<code>\(HTMLText.escaped(entry.fix))</code>"
            text += """
                <tr><td class="n">\(record.id)</td><td class="n">\(Quantity.display(age: now - record.receivedAt))</td>\
                <td>\(HTMLText.escaped(record.sender ?? ""))</td><td>\(HTMLText.escaped(record.subject ?? ""))</td>\
                <td>\(HTMLText.escaped(record.suggestions.joined(separator: ", ")))</td><td>\(last)</td></tr>

                """
        }
        return text + "</tbody>\n</table>\n"
    }
}
