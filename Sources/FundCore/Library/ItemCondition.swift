/// The state of an item in the transaction that is about to change it.
package enum ItemState: Sendable, Hashable {
    case item(LibraryItem)
    case email(EmailEntry)
    case note(NoteEntry)
}

/// A condition on the item that a change is made to. The store evaluates it in the transaction that makes the change,
/// so that it holds against every other writer, and throws `preconditionFailed` when it is false.
package typealias ItemCondition = @Sendable (ItemState) -> Bool
