/// The facts about what waits at the desk. All texts may be hostile.
package struct DeskFacts: Sendable, Hashable {
    /// Messages that wait for one reason.
    package struct Cause: Sendable, Hashable {
        package var reason: Reason
        package var count: Int

        package init(_ reason: Reason, _ count: Int) { (self.reason, self.count) = (reason, count) }
    }

    /// A message of a registered sender who is proved.
    package struct Message: Sendable, Hashable {
        package var id: MisrouteRecord.ID
        package var sender: String
        package var subject: String?

        package init(id: MisrouteRecord.ID, sender: String, subject: String?) {
            (self.id, self.sender, self.subject) = (id, sender, subject)
        }
    }

    /// Messages that a letter names one by one.
    package static let maxMessages = 10

    package var recipient: NotificationRecipient
    /// Messages that wait, those that were put off not counted.
    package var count: Int
    /// Messages among them that came since the digest before.
    package var newCount: Int
    /// The most frequent reason first.
    package var causes: [Cause]
    /// The first new messages of senders who are proved: what strangers write stands in no letter.
    package var messages: [Message]

    package init(
        recipient: NotificationRecipient, count: Int, newCount: Int, causes: [Cause], messages: [Message]
    ) {
        self.recipient = recipient
        (self.count, self.newCount) = (count, newCount)
        (self.causes, self.messages) = (causes, messages)
    }
}
