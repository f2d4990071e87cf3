import FundCore
import Terminal

extension MisrouteReport {
    /// Causes of one reason that a table shows; more do not fit a screen.
    private static let maxCauses = 20

    /// For a terminal.
    ///
    /// - Parameter isFull: all causes, not only the first twenty of each reason.
    func text(width: Int?, isFull: Bool = false) -> String {
        guard !groups.isEmpty else { return "Nothing is misrouted.\n" }
        var text = ""
        for group in groups {
            let title = "\(group.reason.outcome.rawValue): \(group.reason.rawValue) (\(group.entries.count))"
            text += "\(title)\n  \(Self.explanation(group.reason))\n\n"
            let shown = isFull ? group.causes[...] : group.causes.prefix(Self.maxCauses)
            text += table(of: shown).rendered(width: width, indent: "  ") + "\n"
            for cause in shown where cause.records[0].resolution == nil { text += "  \(cause.fix)\n" }
            let rest = group.causes[shown.endIndex...]
            if !rest.isEmpty {
                let messages = rest.reduce(0) { $0 + $1.records.count }
                text += "  and \(messages) more of \(rest.count) further causes: --full\n"
            }
            text += "\n"
        }
        return text + "\(count) kept. `fundmail misrouted show ID` shows one whole.\n"
    }

    /// A line for each cause, with its first message.
    private func table(of causes: ArraySlice<Cause>) -> Table {
        let isCounting = causes.contains { $0.records.count > 1 }
        let columns: [Table.Column] =
            [.number("ID")] + (isCounting ? [.number("COUNT")] : [])
            + [.number("AGE"), .shrinking("FROM"), .shrinking("SUBJECT"), .shrinking("NEAR")]
        var table = Table(columns)
        for cause in causes {
            let record = cause.records[0]
            let isOfMany = Set(cause.records.lazy.map { $0.sender?.lowercased() }).count > 1
            table.add(
                ["\(record.id)"] + (isCounting ? ["\(cause.records.count)"] : []) + [
                    Quantity.display(age: now - record.receivedAt), isOfMany ? "(several)" : record.sender ?? "",
                    Self.subject(record, cause.quarantine),
                    record.suggestions.joined(separator: ", "),
                ])
        }
        return table
    }

    func csv() -> String {
        var writer = CSVWriter()
        writer.row([
            "id", "outcome", "reason", "received", "sender", "user", "subject", "tag", "suggestions", "bytes", "source",
            "detail", "resolution", "command", "quarantine",
        ])
        for entry in groups.flatMap(\.entries) {
            let record = entry.record
            writer.row([
                "\(record.id)", record.outcome.rawValue, record.reason.rawValue, Clock.timestamp(record.receivedAt),
                record.sender ?? "", record.userEmail ?? "", record.subject ?? "", record.tag ?? "",
                record.suggestions.joined(separator: "; "), "\(record.size)", record.reference.text,
                record.detail ?? "", Self.resolution(record) ?? "", entry.fix,
                entry.quarantine ?? "",
            ])
        }
        return writer.text
    }

    func json() -> [UInt8] {
        JSONWriter.lines(groups.flatMap(\.entries)) { line, entry in
            let record = entry.record
            line.field("id", record.id)
            line.field("outcome", record.outcome.rawValue)
            line.field("reason", record.reason.rawValue)
            line.field("received", Clock.timestamp(record.receivedAt))
            line.field("source", record.reference.text)
            line.field("digest", record.digest.hex)
            line.field("size", record.size)
            line.field("from", record.sender)
            line.field("user", record.userEmail)
            line.field("subject", record.subject)
            line.field("tag", record.tag)
            line.field("suggestions", record.suggestions)
            line.field("detail", record.detail)
            line.field("attempts", record.attempts)
            line.field("resolution", Self.resolution(record))
            line.field("command", entry.fix)
            line.field("quarantine", entry.quarantine)
        }
    }
}
