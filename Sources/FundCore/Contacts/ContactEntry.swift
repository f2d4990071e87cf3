/// One address or telephone number of a contact.
package struct ContactEntry: Sendable, Hashable {
    /// The purpose, as cards name it by `TYPE`. The raw values are stored and are part of the web API.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case work, home, cell, fax
    }

    package var value: String
    /// Nil where none is said.
    package var kind: Kind?

    package init(_ value: String, _ kind: Kind? = nil) { (self.value, self.kind) = (value, kind) }

    /// Whether another entry is the same address or number, whatever its purpose.
    func isSame(as other: ContactEntry) -> Bool { value.utf8.elementsEqual(other.value.utf8) }
}
