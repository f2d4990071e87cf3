/// A folder or file of a place, with what a list shows beside its name.
package struct PlaceRow: Sendable, Hashable {
    package var item: LibraryItem
    /// The email that brought a file; nil for anything else, and when that is deleted.
    package var email: EmailSummary?

    package init(_ item: LibraryItem, email: EmailSummary? = nil) {
        (self.item, self.email) = (item, email)
    }
}
