import Foundation
import FundCore
import TestSupport
import Testing

/// Every message of `Fixtures/mail` through the built program, compared with the result beside it.
@Suite struct FixtureTests {
    @Test(.startsPrograms, arguments: LineEnds.allCases)
    func everyMessageComesOutAsExpected(_ lineEnds: LineEnds) async throws {
        let messages = try FixtureMail.all()
        let policies = Array(Set(messages.compactMap(\.expected.mailbox))).sorted { $0.authserv_id < $1.authserv_id }
        let store = try await FixtureStore()
        defer { store.remove() }
        try store.configure(policies)
        func folder(_ message: FixtureMail) -> String {
            // The first copy of a duplicate must be in before the second comes.
            if message.expected.outcome == "duplicate" { return "again" }
            return message.expected.mailbox.flatMap(policies.firstIndex).map { "mailbox\($0)" } ?? "vouched"
        }
        for message in messages {
            try store.write(message.bytes(lineEnds), to: "mail/\(folder(message))/\(message.name).eml")
        }
        var lines: [String: [(text: String, line: MessageLine)]] = [:]
        for name in ["vouched", "again"] + policies.indices.map({ "mailbox\($0)" }) {
            let run = try await store.replay("mail/" + name, as: name.hasPrefix("mailbox") ? name : nil)
            #expect(run.summary.failed == 0)
            #expect(run.summary.seen == run.lines.count)
            for entry in run.lines {
                let source = entry.line.source.replacingOccurrences(of: ".eml", with: "")
                lines[source.split(separator: "/").suffix(2).joined(separator: "/"), default: []].append(entry)
            }
        }
        let bodies = try store.bodies()
        var report: [String] = []
        for message in messages {
            let found = lines[message.name] ?? []
            var problems = found.count == 1 ? [] : ["\(found.count) lines instead of one"]
            let body = found.first.flatMap { bodies[$0.line.digest] } ?? (text: "", html: "")
            for (kind, wanted, stored) in [
                ("text", message.expected.text_contains, body.text),
                ("HTML", message.expected.html_contains, body.html),
            ] {
                guard let wanted, !stored.contains(wanted) else { continue }
                problems.append("\(kind): expected \(wanted.debugDescription) in \(stored.debugDescription)")
            }
            for entry in found {
                problems += message.expected.differences(
                    from: entry.line, lineEnds: lineEnds, digest: ContentDigest.of(message.bytes(lineEnds)).hex)
            }
            guard !problems.isEmpty else { continue }
            report.append("\(message.name):\n    " + problems.joined(separator: "\n    "))
            try Self.keep(found.map(\.text), of: message, lineEnds)
        }
        if !report.isEmpty { Issue.record(Comment(rawValue: Self.summary(report, of: messages.count, lineEnds))) }
    }

    /// Every reason and defect of a message stands in some fixture.
    @Test func everyReasonAndDefectHasAMessage() throws {
        let messages = try FixtureMail.all().map(\.expected)
        let reasons = Set(messages.compactMap(\.reason)).union(Self.reasonsElsewhere.keys)
        #expect(Set(Reason.allCases.map(\.rawValue)) == reasons)
        let defects = Set(messages.flatMap(\.defects)).union(Self.defectsElsewhere.keys)
        #expect(Set(Defect.allCases.map(\.rawValue)) == defects)
        let outcomes = Set(messages.map(\.outcome))
        #expect(outcomes == Set(Outcome.allCases.map(\.rawValue)))
        #expect(Set(Self.reasonsElsewhere.keys).isDisjoint(with: messages.compactMap(\.reason)))
        #expect(Set(Self.defectsElsewhere.keys).isDisjoint(with: messages.flatMap(\.defects)))
    }

    @Test func everyHostileMessageNamesItsAttack() throws {
        for message in try FixtureMail.all() {
            #expect(!message.expected.covers.isEmpty, "\(message.name)")
            if message.name.hasPrefix("hostile/") {
                #expect(message.expected.attack?.isEmpty == false, "\(message.name)")
            }
        }
    }

    /// Reasons without a fixture, and why.
    private static let reasonsElsewhere = [
        "too_large": "needs a message above the limit of 100 MB: made in code",
        "ambiguous_fund": "the store refuses two funds of one user that fit one tag: RouterTests",
        "over_quota": "is of the store's room, not of the message: StorageLimitTests",
        "bounce": "its address is made with the key of the store: LetterBounceTests",
    ]
    /// Defects without a fixture, and why.
    private static let defectsElsewhere = [
        "body_truncated": "needs a body above the limit for display: made in code",
        "size_mismatch": "is of the server, not of the message: SizeMismatchTests",
        "other_message_inside": "is of the mbox file, not of the message: FileSourceTests",
    ]

    /// Where the lines that differ are kept for a look.
    private static let actual = FileManager.default.temporaryDirectory.appendingPathComponent("fundmail-actual")

    private static func summary(_ report: [String], of count: Int, _ lineEnds: LineEnds) -> String {
        let head = "\(report.count) of \(count) messages (\(lineEnds)) differ; lines in \(actual.path)"
        return ([head] + report).joined(separator: "\n")
    }

    private static func keep(_ lines: [String], of message: FixtureMail, _ lineEnds: LineEnds) throws {
        let file = actual.appendingPathComponent("\(message.name).\(lineEnds).json")
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(lines.joined(separator: "\n").utf8).write(to: file)
    }
}
