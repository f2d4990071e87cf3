/// The items before and behind another in a list.
package struct Neighbours<Item: Sendable>: Sendable {
    /// Nil at the beginning of the list.
    package var previous: Item?
    /// Nil at its end.
    package var next: Item?

    package init(previous: Item? = nil, next: Item? = nil) {
        self.previous = previous
        self.next = next
    }
}

extension Neighbours: Equatable where Item: Equatable {}
