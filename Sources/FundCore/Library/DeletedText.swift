/// An email or a note that is deleted and can be restored, for a list.
package struct DeletedText: Sendable, Hashable {
    package var item: LibraryItemID
    /// Subject or title; may be empty.
    package var title: String
    /// Address from which an email came; nil where it names none.
    package var sender: String?
    /// Name of the fund into which it comes back.
    package var fundName: String
    package var deletedAt: Timestamp

    package init(item: LibraryItemID, title: String, fundName: String, deletedAt: Timestamp) {
        self.item = item
        self.title = title
        self.fundName = fundName
        self.deletedAt = deletedAt
    }
}
