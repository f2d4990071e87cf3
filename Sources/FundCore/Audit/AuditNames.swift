/// The things that entries of the audit trail mention by number, address or digest.
package struct AuditReferences: Sendable, Hashable {
    /// Addresses of people, as the entries have them.
    package var addresses: Set<String> = []
    package var users: Set<User.ID> = []
    package var misroutes: Set<MisrouteRecord.ID> = []
    package var emails: Set<EmailSummary.ID> = []
    package var contents: Set<ContentDigest> = []
    package var letters: Set<PersonalLetter.ID> = []

    package init() {}
}

/// Names of the things that entries of the audit trail mention, as far as they are still there.
package struct AuditNames: Sendable, Hashable {
    /// A mail, or a letter that a person wrote.
    package struct Message: Sendable, Hashable {
        /// Nil for mail without one.
        package var subject: String?
        package var sender: String?

        package init(subject: String?, sender: String?) { (self.subject, self.sender) = (subject, sender) }
    }

    /// Names of people by their addresses; who gave none is not in it.
    package var people: [String: String] = [:]
    /// Addresses of users.
    package var users: [User.ID: String] = [:]
    package var misroutes: [MisrouteRecord.ID: Message] = [:]
    package var emails: [EmailSummary.ID: Message] = [:]
    /// Letters that people wrote, each with the address of its writer.
    package var letters: [PersonalLetter.ID: Message] = [:]
    /// Names of files with these contents: one of each.
    package var contents: [ContentDigest: String] = [:]

    package init() {}
}
