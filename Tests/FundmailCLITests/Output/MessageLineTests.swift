import Ingest
import TestSupport
import Testing

@testable import FundCore
@testable import FundmailCLI

/// Lines that programs read of a message, and people at the end of a run.
@Suite struct MessageLineTests {
    private static let bobs = FiledPlace(email: 7, user: "bob@example.com", fund: "Fund1")

    private func stored(_ outcome: Outcome, _ copy: FiledPlace?, _ defects: [Defect] = []) -> StoredMessage {
        var decision = RoutingDecision(outcome: .filed)
        decision.user = User(id: 1, email: "ann@example.com")
        decision.fund = Fund(id: 1, owner: 1, name: "Alpha")
        let spooled = SpooledMessage(
            content: SpooledContent(droppedBytes: 1), digest: .of([]), fingerprint: .of([]))
        let message = RoutedMessage(
            reference: SourceReference(place: "a.eml"), spooled: spooled,
            parsed: .message(ParsedMessage(header: MessageHeader(), defects: defects)), decision: decision,
            policy: RoutingPolicy(trust: .vouched))
        return StoredMessage(
            message: message, outcome: outcome, reason: nil, emailID: copy?.email ?? 9, misrouteID: nil, copy: copy)
    }

    private func line(_ stored: StoredMessage) -> String {
        var writer = JSONWriter(reserving: 256)
        MessageLine.write(stored, to: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// A duplicate lies where the email lies that it repeats, whatever the rules say of it.
    @Test func aDuplicateSaysWhereItLies() {
        let text = line(stored(.duplicate, Self.bobs))
        #expect(text.contains(#""email_id":7,"user":"bob@example.com","fund":"Fund1","subject":"#), "\(text)")
        #expect(!text.contains("other_copy"))
    }

    @Test func aCopyThatLiesElsewhereIsNamed() {
        let text = line(stored(.filed, Self.bobs))
        #expect(text.contains(#""user":"ann@example.com","fund":"Alpha""#), "\(text)")
        let copy = #","other_copy":{"email_id":7,"user":"bob@example.com","fund":"Fund1"}}"#
        #expect(text.hasSuffix(copy + "\n"), "\(text)")
        #expect(!line(stored(.filed, nil)).contains("other_copy"))
    }

    @Test func theSummaryCountsWhatMayHoldAnotherMessage() {
        var summary = RunSummary()
        summary.add(.stored(stored(.filed, nil)))
        let plain = [RunSummaryText.render(summary, isRehearsal: false), text(summary)]
        summary.add(.stored(stored(.filed, nil, [.otherMessageInside])))
        #expect(plain.allSatisfy { !$0.contains("other_message_inside") })
        #expect(RunSummaryText.render(summary, isRehearsal: false).contains("\n1 message holds what looks like"))
        #expect(text(summary).contains(#""other_message_inside":1"#))
    }

    private func text(_ summary: RunSummary) -> String { String(decoding: MessageLine.summary(summary), as: UTF8.self) }
}
