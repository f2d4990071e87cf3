/// Mail whose `From` names a service that passes on what others wrote: its address belongs to no single person, so
/// registering it for one would file the mail of all as theirs.
package struct RelayedMail: Sendable, Hashable {
    /// Raw values stand in the database and in JSON.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The envelope of certified mail, as Italian providers send it (`X-Trasporto`, `X-Ricevuta`).
        case certified
        /// A group or list that puts its own address in place of the author's (`Ann via Owners`).
        case group
        /// A copy that a server keeps of its users' mail (`X-MS-Journal-Report`).
        case journal
    }

    package var kind: Kind
    /// Address of the author, as the service says; nil when it does not. It proves nothing.
    package var author: String?

    package init(kind: Kind, author: String? = nil) {
        self.kind = kind
        self.author = author
    }
}

extension ParsedMessage {
    /// The service that passed the message on; nil for none. The author of a journaled one stands in the report that is
    /// its text.
    package var relay: RelayedMail? {
        guard var relay = header.relay else { return nil }
        if relay.kind == .journal, relay.author == nil { relay.author = text.flatMap(Self.journaledSender) }
        return relay
    }

    /// Lines of a report that are looked at: the sender stands at its top.
    private static let maxReportLines = 50

    private static func journaledSender(_ report: String) -> String? {
        for line in report.split(separator: "\n", maxSplits: maxReportLines).prefix(maxReportLines) {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "sender" else { continue }
            let value = parts[1].filter { !$0.isWhitespace && !"<>".contains($0) }
            return EmailAddress(value).map(\.description)
        }
        return nil
    }
}
