/// The kind of a message to a webhook. Raw values stand in the database and in the body.
package enum WebhookEvent: String, Sendable, Hashable, CaseIterable {
    /// Items came, changed, or went.
    case changed = "library.changed"
    /// The feed of changes does not go on where the last message ended: what the receiver knows has to be read anew.
    case resync = "library.resync"
    /// A person tries the receiver.
    case test = "webhook.test"

    /// The body of a message (JSON), in the form that Standard Webhooks proposes: `type`, `timestamp`, `data`.
    ///
    /// It names items and says nothing that is in them: the receiver reads them by `path` with a token of its own.
    package func body(of webhook: Webhook.ID, _ changes: [ChangePage.Change] = [], at time: Timestamp) -> String {
        var json = JSONWriter()
        json.object { json in
            json.field("type", rawValue)
            json.field("timestamp", time.internetText)
            json.object("data") { json in
                json.field("webhook", webhook)
                guard self == .changed else { return }
                json.objects("changes", changes) { json, change in
                    json.field(change.item)
                    json.field("is_deleted", change.isDeleted)
                    json.field("path", change.item.path)
                }
            }
        }
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

extension LibraryItemID {
    /// The path in the web API.
    fileprivate var path: String { "/api/v1/\(kind.name)s/\(number)" }
}
