/// The version of a user's list of contacts.
package struct ContactRevision: Sendable, Hashable {
    /// The store's history: a restored one may give numbers again.
    package var history: HistoryID
    /// Number of the latest change; 0 before the first.
    package var number: Int64

    package init(history: HistoryID, number: Int64) { (self.history, self.number) = (history, number) }
}

/// Changes of a user's list of contacts, in their order.
package struct ContactChanges: Sendable {
    /// The contacts that are there, as they are now.
    package var changed: [Contact]
    package var deleted: [Contact.ID]
    /// The revision up to which these are all changes.
    package var revision: ContactRevision
    /// Whether there are changes behind that revision.
    package var hasMore: Bool

    package init(changed: [Contact], deleted: [Contact.ID], revision: ContactRevision, hasMore: Bool) {
        self.changed = changed
        self.deleted = deleted
        self.revision = revision
        self.hasMore = hasMore
    }
}

/// The people whom a user may write to, as the store knows them.
package struct KnownPeople: Sendable {
    package var contacts: [Contact]
    /// The latest ones, with those that are contacts.
    package var knownAddresses: [KnownAddress]
    package var revision: ContactRevision

    package init(contacts: [Contact], knownAddresses: [KnownAddress], revision: ContactRevision) {
        self.contacts = contacts
        self.knownAddresses = knownAddresses
        self.revision = revision
    }
}
