/// How far an app password reaches. Other tokens reach all that their owner may do.
package enum TokenReach: String, Sendable, Hashable, CaseIterable {
    /// Reads and changes funds, folders and files, and reads address books.
    case files
    /// Reads the owner's whole library, mail and notes among it, and changes nothing.
    case read
}
