/// A file of contacts that a user imports: vCard, or a table as Outlook and Google write it.
package struct ContactFile: Sendable {
    /// The reason for which a file as a whole cannot be read.
    package enum Fault: Error, Sendable, Hashable {
        /// There are no contacts in it.
        case empty
        case tooLarge
        /// It is no text in an encoding that is known.
        case notText
        /// A table whose first line names no column that is known.
        case noColumns
        /// A table that is broken, with the line, from 1, and the problem in English.
        case malformed(line: Int, problem: String)
    }

    package var contacts: [ImportedContact]
    /// Whether the file has more than `ContactLimits.maxImported`.
    package var hasMore: Bool
    /// Titles of columns that are not used.
    package var ignoredColumns: [String] = []

    package init(_ bytes: [UInt8]) throws(Fault) {
        guard bytes.count <= ContactLimits.maxFileBytes else { throw .tooLarge }
        guard let text = TextEncoding.decoded(bytes) else { throw bytes.isEmpty ? .empty : .notText }
        if Self.isVCard(text) {
            (contacts, hasMore) = VCardReader.contacts(of: text)
        } else {
            let table = try ContactTable(String(decoding: text, as: UTF8.self))
            (contacts, hasMore, ignoredColumns) = (table.contacts, table.hasMore, table.ignoredColumns)
        }
        guard !contacts.isEmpty else { throw .empty }
    }

    /// The beginning of a card may stand behind empty lines.
    private static func isVCard(_ text: [UInt8]) -> Bool {
        ASCII.lowercased(ASCII.trimmed(text.prefix(256)).prefix(11)) == "begin:vcard"
    }
}
