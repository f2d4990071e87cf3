import FundCore
import Ingest

/// The end of a run, for people.
enum RunSummaryText {
    static func render(_ summary: RunSummary, isRehearsal: Bool) -> String {
        let rate = summary.seconds > 0 ? Int(Double(summary.seen) / summary.seconds) : 0
        var text = isRehearsal ? "Nothing was stored. This would become of " : ""
        text += "\(summary.seen) message\(summary.seen == 1 ? "" : "s") (\(Quantity.display(bytes: summary.bytes)))"
        text += isRehearsal ? ":\n\n" : " in \(Quantity.oneDecimal(summary.seconds)) s, \(rate) a second:\n\n"
        var table = Table([Table.Column(title: ""), Table.Column(title: "", isNumber: true)])
        for outcome in Outcome.allCases {
            table.add([outcome.rawValue, "\(summary.count(outcome))"])
            for reason in Reason.allCases where reason.outcome == outcome {
                if let count = summary.reasons[reason] { table.add(["  \(reason.rawValue)", "\(count)"]) }
            }
        }
        if summary.failed > 0 { table.add(["not read", "\(summary.failed)"]) }
        text += table.rendered(width: nil, indent: "  ")
        if summary.wasInterrupted { text += "\nInterrupted: run the same command again for the rest.\n" }
        if !isRehearsal, summary.count(.misrouted) + summary.count(.rejected) > 0 {
            text += "\n`fundmail report misrouted` shows what was not filed, and how to file it.\n"
        }
        return text
    }
}
