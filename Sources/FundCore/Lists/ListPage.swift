/// One page of a list, with the cursor of the next.
package struct ListPage<Item: Sendable>: Sendable {
    package var items: [Item]
    /// Gives the next ones; nil when there are none.
    package var next: String?

    package init(items: [Item], next: String?) {
        self.items = items
        self.next = next
    }
}
