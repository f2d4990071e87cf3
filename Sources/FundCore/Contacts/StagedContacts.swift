/// Contacts of a file that wait for their user's word.
package struct StagedContacts: Sendable, Hashable {
    /// The name of the file, for people.
    package var name: String
    package var contacts: [ImportedContact]
    /// Whether the file has more than are taken.
    package var hasMore: Bool
    package var ignoredColumns: [String]

    package init(name: String, contacts: [ImportedContact], hasMore: Bool, ignoredColumns: [String]) {
        self.name = name.label.prefix(bytes: ContactLimits.maxLineBytes)
        self.contacts = contacts
        self.hasMore = hasMore
        self.ignoredColumns = ignoredColumns
    }

    package init(_ file: ContactFile, named name: String) {
        self.init(
            name: name, contacts: file.contacts, hasMore: file.hasMore, ignoredColumns: file.ignoredColumns)
    }
}
