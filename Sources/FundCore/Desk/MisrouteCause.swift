/// The cause that kept messages share and that one act puts right: the reason and the sender, and for a fund that is
/// not found the tag. Automatic mail is one cause for all its senders.
package struct MisrouteCause: Sendable, Hashable {
    package let reason: Reason
    /// Compared without regard to case.
    package let sender: String?
    /// In the form in which tags are compared.
    package let tag: String?
    package let isUnverified: Bool
    /// Author of mail that a service passed on, as the service says, and empty where it does not; nil for other mail.
    package let author: String?

    package init(reason: Reason, sender: String?, tag: String?, isUnverified: Bool, relay: RelayedMail? = nil) {
        self.reason = reason
        // Each author's is a cause of its own.
        author = relay.map { $0.author?.lowercased() ?? "" }
        self.isUnverified = isUnverified
        self.sender = reason.isAutomatic ? nil : sender?.lowercased()
        self.tag = reason.isAboutTag ? tag.map(FundName.key) : nil
    }

    package init(_ record: MisrouteRecord) {
        self.init(
            reason: record.reason, sender: record.sender, tag: record.tag, isUnverified: record.isUnverified,
            relay: record.relay)
    }

    /// A text that is equal for equal causes, for a store to group by. Lengths separate its parts.
    package var key: String {
        let parts = [reason.rawValue, isUnverified ? "1" : "0", sender, tag] + (author.map { [$0] } ?? [])
        return parts.map { part in part.map { "\($0.utf8.count):\($0)" } ?? "-" }.joined(separator: " ")
    }
}
