import FundCore
import TestSupport

extension FixtureExpectation {
    /// Claims that `line` contradicts, in words; empty when all hold.
    func differences(from line: MessageLine, lineEnds: LineEnds, digest: String) -> [String] {
        var problems: [String] = []
        func compare(_ what: String, _ wanted: some Equatable, _ got: some Equatable) {
            let (wanted, got) = (String(describing: wanted), String(describing: got))
            // Canonical equivalence is not enough: names are compared by their scalars.
            if !wanted.unicodeScalars.elementsEqual(got.unicodeScalars) {
                problems.append("\(what): expected \(wanted.debugDescription), got \(got.debugDescription)")
            }
        }
        compare("digest", digest, line.digest)
        compare("outcome", outcome, line.outcome)
        compare("reason", reason ?? "-", line.reason ?? "-")
        if claims.contains("user") { compare("user", user ?? "-", line.user ?? "-") }
        if claims.contains("fund") { compare("fund", fund ?? "-", line.fund ?? "-") }
        if claims.contains("subject") { compare("subject", subject ?? "-", line.subject ?? "-") }
        if claims.contains("from") { compare("from", from ?? "-", line.from ?? "-") }
        compare("defects", defects.sorted(), line.defects.sorted())
        compare("suggestions", suggestions, line.suggestions)
        compare("attachments", attachments.count, line.attachments.count)
        for (index, (wanted, got)) in zip(attachments, line.attachments).enumerated() {
            let what = "attachment \(index)"
            if let name = wanted.name { compare("\(what) name", name, got.name) }
            if let type = wanted.content_type { compare("\(what) type", type, got.content_type) }
            if let part = wanted.part { compare("\(what) part", part, got.part) }
            compare("\(what) inline", wanted.inline, got.inline)
            let content = wanted.content(lineEnds)
            compare("\(what) size", content.size, got.size)
            compare("\(what) sha256", content.sha256, got.sha256)
        }
        if attachments.count != line.attachments.count {
            problems += line.attachments.map { "got \($0.part) \($0.name) \($0.content_type) \($0.size)" }
        }
        return problems
    }
}
