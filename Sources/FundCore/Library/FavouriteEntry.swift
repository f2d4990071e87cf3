/// A favourite of a user in a list of all kinds.
package struct FavouriteEntry: Sendable, Hashable {
    package var item: LibraryItemID
    /// A name, subject or title; empty when an email or note has none.
    package var name: String
    /// The fund that it is, or is in.
    package var fund: Fund.ID
    package var fundName: String
    /// Address from which an email came; nil where it names none.
    package var sender: String?
    /// Media type of a file.
    package var contentType: String?
    /// The content of a file.
    package var content: PreviewedFile?
    /// Time at which an email came in, and at which any other item was changed.
    package var date: Timestamp

    package init(item: LibraryItemID, name: String, fund: Fund.ID, fundName: String, date: Timestamp) {
        self.item = item
        self.name = name
        self.fund = fund
        self.fundName = fundName
        self.date = date
    }
}
