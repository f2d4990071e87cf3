/// An item as it would go along with a letter.
package struct LetterItem: Sendable, Hashable {
    package var item: LibraryItemID
    package var fund: Fund.ID
    /// The name that it has in the letter: a folder's with `.zip`, a note's with `.txt`, a mail's subject with `.eml`.
    package var name: String
    package var contentType: String
    /// In bytes, without the coding of mail; of a folder the sum of its files.
    package var size: Int64
    /// The bytes of a file; nil for what is made when the letter is sent.
    package var digest: ContentDigest?

    package init(
        item: LibraryItemID, fund: Fund.ID, name: String, contentType: String, size: Int64,
        digest: ContentDigest? = nil
    ) {
        self.item = item
        self.fund = fund
        self.name = name
        self.contentType = contentType
        self.size = size
        self.digest = digest
    }
}
