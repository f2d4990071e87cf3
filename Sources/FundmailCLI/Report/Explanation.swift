import FundCore
import Terminal

/// How one message would be routed, and why.
struct Explanation: Sendable {
    var source: SourceReference
    var spooled: SpooledMessage
    var parsed: ParseResult
    var decision: RoutingDecision

    /// For people. `isKnown`: the store holds this message already.
    func text(isKnown: Bool) -> String {
        let parts = ParsedParts(parsed)
        var text = "\(TerminalText.clean(source.text)) (\(Quantity.display(bytes: spooled.size)))\n"
        text += "  sha-256 \(spooled.digest.hex)\n\n"
        for (number, field) in (parts.header?.from ?? []).enumerated() {
            let count = parts.header?.from.count ?? 1
            let title = count == 1 ? "From" : "From (\(number + 1) of \(count))"
            text += "  \(title): \(TerminalText.clean(field.text))\n"
        }
        for subject in parts.header?.subjects ?? [] { text += "  Subject: \(TerminalText.clean(subject))\n" }
        text += "\nWhy\n"
        let steps = Table(["", ""], decision.steps.map { [$0.about.rawValue, $0.text] })
        text += steps.rendered(width: nil, indent: "  ")
        text += "\nOutcome\n  \(TerminalText.clean(outcome(isKnown: isKnown)))\n"
        if let detail = parts.detail { text += "  \(TerminalText.clean(detail))\n" }
        if !decision.suggestions.isEmpty {
            text += "  near: \(TerminalText.clean(decision.suggestions.joined(separator: ", ")))\n"
        }
        if !parts.attachments.isEmpty {
            text += "\n\(decision.outcome == .filed ? "Would be stored" : "Attachments")\n"
            var table = Table(["PART", "NAME", "TYPE", .number("SIZE"), "SENT AS"])
            for attachment in parts.attachments {
                let sent = attachment.sentName == attachment.displayName ? "" : attachment.sentName ?? "(no name)"
                table.add([
                    attachment.partPath, attachment.displayName,
                    attachment.contentType + (attachment.isInline ? " (inline)" : ""),
                    Quantity.display(bytes: attachment.size), sent,
                ])
            }
            text += table.rendered(width: nil, indent: "  ")
        }
        if !parts.defects.isEmpty {
            text += "\nDefects\n"
            for defect in parts.defects { text += "  \(defect.rawValue)\n" }
        }
        return text
    }

    func json(isKnown: Bool) -> [UInt8] {
        let parts = ParsedParts(parsed)
        return JSONWriter.line { line in
            line.field("source", source.text)
            line.field("digest", spooled.digest.hex)
            line.field("outcome", (isKnown ? Outcome.duplicate : decision.outcome).rawValue)
            line.field("reason", decision.reason?.rawValue)
            MessageLine.decision(decision, parts, &line)
            MessageLine.content(parts, &line)
            line.field("suggestions", decision.suggestions)
            line.field("detail", parts.detail)
            line.field("tag", decision.tag)
            line.field("steps", decision.steps) { list, step in
                list.object { object in
                    object.field("about", step.about.rawValue)
                    object.field("text", step.text)
                }
            }
        }
    }

    private func outcome(isKnown: Bool) -> String {
        var text = decision.outcome.rawValue
        if let reason = decision.reason { text += ": \(reason.rawValue)" }
        if let fund = decision.fund, let user = decision.user { text += " into [\(fund.name)] of \(user.email)" }
        return isKnown ? "duplicate: the store holds it already (by itself: \(text))" : text
    }
}
