/// Limits of contacts: more than people have, and little enough for a list to stay in memory.
package enum ContactLimits {
    /// Contacts of one user.
    package static let maxContacts = 10_000
    /// Bytes of a name, an organisation, an address and other texts of one line.
    package static let maxLineBytes = 255
    /// Addresses of a contact; also telephone numbers, and groups.
    package static let maxEntries = 20
    package static let maxNoteBytes = 8 << 10
    /// Bytes of a file that is imported, pictures in it included.
    package static let maxFileBytes = 16 << 20
    /// Contacts of one file.
    package static let maxImported = maxContacts
}
