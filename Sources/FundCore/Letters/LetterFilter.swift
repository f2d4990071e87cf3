/// The letters of a person that a list holds, the latest first. Each condition that is set narrows it down.
package struct LetterFilter: Sendable, Hashable {
    /// Letters that are kept in this fund.
    package var fund: Fund.ID?
    /// Letters with which this item was sent, also where it was moved or renamed since; for a mail also those that
    /// answer it.
    package var item: LibraryItemID?
    /// Letters of which a recipient has to be looked at.
    package var isTroubled: Bool

    package init(fund: Fund.ID? = nil, item: LibraryItemID? = nil, isTroubled: Bool = false) {
        self.fund = fund
        self.item = item
        self.isTroubled = isTroubled
    }
}
