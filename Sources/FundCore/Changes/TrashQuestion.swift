/// The content of the trash about which a person is asked before it is emptied: what is deleted later is no part of it.
package struct TrashQuestion: Sendable, Hashable {
    /// The point in the feed of changes at which it was shown. A deletion is a change of its item: what is deleted
    /// later, within the same second, too, is behind it.
    package var asOf: ChangeCursor
    package var counts: TrashCounts

    package init(asOf: ChangeCursor, counts: TrashCounts) { (self.asOf, self.counts) = (asOf, counts) }
}
