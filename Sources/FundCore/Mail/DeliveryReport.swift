/// The report of a mail server about a message that it was to deliver (RFC 3464): one entry for each recipient of which
/// it tells. All texts are hostile.
package struct DeliveryReport: Sendable, Hashable {
    /// A recipient of the message.
    package struct Entry: Sendable, Hashable {
        /// `failed`, `delayed`, `delivered`, `relayed` or `expanded`, lower-case (RFC 3464 §2.3.3).
        package var action: String
        /// `5.1.1` (RFC 3463); empty where the report has none.
        package var status: String
        /// The words of the server that refused it, without their kind; nil where the report has none.
        package var diagnostic: String?

        package init(action: String, status: String, diagnostic: String?) {
            self.action = action
            self.status = status
            self.diagnostic = diagnostic
        }
    }

    /// Limit of the entries that are read: a letter goes to one recipient at a time.
    package static let maxEntries = 20
    /// Limit of the bytes of a text.
    package static let maxTextBytes = 1000

    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    /// The entry that counts: a failure before a delay, and that before what tells of no trouble.
    package var worst: Entry? {
        entries.first { $0.action == "failed" } ?? entries.first { $0.action == "delayed" } ?? entries.first
    }
}
