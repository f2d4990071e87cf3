import FundCore
import TestSupport
import Testing

@testable import Ingest

/// Dry runs, over a store of which only the answers are asked.
struct RehearsalTests {
    private static func message(_ number: Int, bytes: Int64) throws -> RoutedMessage {
        var writer = SpoolDirectory(path: "/tmp").makeWriter()
        try Array("Subject: \(number)\n\nx".utf8).withUnsafeBytes { try writer.append($0) }
        let attachment = ParsedAttachment(
            sentName: nil, displayName: "a", contentType: "text/plain", size: bytes, digest: .of([]), isInline: false,
            contentID: nil, partPath: "2")
        var decision = RoutingDecision(outcome: .filed)
        decision.user = User(id: 1, email: "ann@example.com")
        decision.fund = Fund(id: 1, owner: 1, name: "Fund1")
        return RoutedMessage(
            reference: SourceReference(place: "\(number)"), spooled: writer.finish(),
            parsed: .message(ParsedMessage(header: MessageHeader(), text: "", attachments: [attachment])),
            decision: decision, policy: RoutingPolicy(trust: .vouched))
    }

    /// Mail that the run would file takes room, and mail that it would keep or that is a duplicate takes none.
    @Test func mailWithoutRoomWouldBeKept() async throws {
        let rehearsal = Rehearsal(
            spool: SpoolDirectory(path: "/tmp"), directory: { RouterTests.directory }, attempt: { _ in nil },
            holds: { _ in false },
            hasRoom: { message, others, all in others == all && (message.neededRoom?.bytes ?? 0) + others <= 10 })
        let batch = try [(1, 6), (2, 5), (1, 6), (3, 4)].map { number, bytes in
            StagedMessage(message: try Self.message(number, bytes: bytes), stagedBytes: 0)
        }
        let stored = try await rehearsal.commit(batch)
        #expect(stored.map(\.outcome) == [.filed, .misrouted, .duplicate, .filed])
        #expect(stored.map(\.reason) == [nil, .overQuota, nil, nil])
    }
}
