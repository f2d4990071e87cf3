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
            line.field("resolution", resolution(record))
            line.field("command", fix)
        }
    }
}
