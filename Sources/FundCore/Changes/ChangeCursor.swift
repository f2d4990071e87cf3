/// A point in a person's feed of changes.
package struct ChangeCursor: Sendable, Hashable {
    /// The history of the store to which the number belongs: a store restored from a backup goes on with another one.
    package var epoch: Int64
    /// Grows from change to change of the one feed.
    package var number: Int64

    package init(epoch: Int64, number: Int64) {
        self.epoch = epoch
        self.number = number
    }
}
