import FundCore
import TestSupport
import Testing

struct WebhookEventTests {
    private static let time = Timestamp(1_764_547_200)

    /// Ids, kinds and addresses, and nothing of what is in the items.
    @Test func namesItemsAndNothingElse() {
        let cursor = ChangeCursor(epoch: 1, number: 2)
        let changes = [
            ChangePage.Change(cursor: cursor, item: .file(.init(12)), isDeleted: false),
            ChangePage.Change(cursor: cursor, item: .email(.init(3)), isDeleted: true),
        ]
        let body = WebhookEvent.changed.body(of: Webhook.ID(7), changes, at: Self.time)
        #expect(
            body == #"{"type":"library.changed","timestamp":"2025-12-01T00:00:00Z","data":{"webhook":7,"changes":["#
                + #"{"type":"file","id":12,"is_deleted":false,"path":"/api/v1/files/12"},"#
                + #"{"type":"email","id":3,"is_deleted":true,"path":"/api/v1/emails/3"}]}}"#)
    }

    @Test(arguments: [WebhookEvent.resync, .test])
    func othersNameNone(_ event: WebhookEvent) {
        let body = event.body(of: Webhook.ID(7), at: Self.time)
        #expect(
            body
                == #"{"type":"\#(event.rawValue)","timestamp":"2025-12-01T00:00:00Z","data":{"webhook":7}}"#)
    }
}
