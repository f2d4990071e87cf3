import FundStore
import Ingest

extension MisrouteReport {
    /// For a terminal.
    func text(width: Int?) -> String {
        guard !groups.isEmpty else { return "Nothing is misrouted.\n" }
        var text = ""
        for group in groups {
            let title = "\(group.reason.outcome.rawValue): \(group.reason.rawValue) (\(group.entries.count))"
            text += "\(title)\n  \(Self.explanation(group.reason))\n\n"
            var table = Table([
                Table.Column(title: "ID", isNumber: true), Table.Column(title: "AGE", isNumber: true),
                Table.Column(title: "FROM", shrinks: true), Table.Column(title: "SUBJECT", shrinks: true),
                Table.Column(title: "NEAR", shrinks: true),
            ])
            for entry in group.entries {
                let record = entry.record
                table.add([
                    "\(record.id)", Quantity.display(age: now - record.receivedAt), record.sender ?? "",
                    Self.resolution(record).map { "(\($0)) " + (record.subject ?? "") } ?? record.subject ?? "",
                    record.suggestions.joined(separator: ", "),
                ])
            }
            text += table.rendered(width: width, indent: "  ") + "\n"
            for entry in group.entries where entry.record.resolution == nil { text += "  \(entry.fix)\n" }
            text += "\n"
        }
        return text + "\(count) kept. `fundmail misrouted show ID` shows one whole.\n"
    }

    func csv() -> String {
        var writer = CSVWriter()
        writer.row([
            "id", "outcome", "reason", "received", "sender", "user", "subject", "tag", "suggestions", "bytes", "source",
            "detail", "resolution", "command",
        ])
        for entry in groups.flatMap(\.entries) {
            let record = entry.record
            writer.row([
                "\(record.id)", record.outcome.rawValue, record.reason.rawValue, Clock.timestamp(record.receivedAt),
                record.sender ?? "", record.userEmail ?? "", record.subject ?? "", record.tag ?? "",
                record.suggestions.joined(separator: "; "), "\(record.size)", record.reference.text,
                record.detail ?? "", Self.resolution(record) ?? "", entry.fix,
            ])
        }
        return writer.text
    }

    func json() -> [UInt8] {
        var writer = JSONWriter()
        for entry in groups.flatMap(\.entries) {
            Self.write(entry.record, fix: entry.fix, to: &writer)
            writer.endLine()
        }
        return writer.bytes
    }

    private static func write(_ record: MisrouteRecord, fix: String, to writer: inout JSONWriter) {
        writer.object { line in
            line.key("id")
            line.value(record.id)
            line.key("outcome")
            line.value(record.outcome.rawValue)
            line.key("reason")
            line.value(record.reason.rawValue)
            line.key("received")
            line.value(Clock.timestamp(record.receivedAt))
            line.key("source")
            line.value(record.reference.text)
            line.key("digest")
            line.value(record.digest.hex)
            line.key("size")
            line.value(record.size)
            line.key("from")
            line.value(record.sender)
            line.key("user")
            line.value(record.userEmail)
            line.key("subject")
            line.value(record.subject)
            line.key("tag")
            line.value(record.tag)
            line.key("suggestions")
            line.value(record.suggestions)
            line.key("detail")
            line.value(record.detail)
            line.key("attempts")
            line.value(record.attempts)
            line.key("resolution")
            line.value(resolution(record))
            line.key("command")
            line.value(fix)
        }
    }
}
