/// Work that is wanted.
package struct PreviewOrder: Sendable, Hashable {
    /// Limit of waiting work for which no request waits.
    package static let maxWaiting = 100_000
    /// Limit of work for which requests wait.
    package static let maxAsked = 1000

    /// Urgency, in the order of the cases.
    package enum Priority: Int, Sendable, Comparable, CaseIterable {
        /// A request waits for it.
        case asked
        /// A list shows it.
        case listed
        /// A content that came in just now is to be scanned.
        case scan
        /// Its file came in just now.
        case fresh
        /// Words of a file that came in just now, or that a list shows: they take long, and are for the search alone,
        /// but a new scan is looked for before old files are.
        case freshRecognition
        /// Its file was there before.
        case backfill
        /// Words of a file that was there before.
        case recognition
        /// Was scanned before, by older signatures.
        case rescan

        package static func < (first: Self, second: Self) -> Bool { first.rawValue < second.rawValue }
    }

    package var key: RenditionKey
    /// Size of the content in bytes.
    package var size: Int64
    package var priority: Priority
    /// The recipe: a rendition by another one is made anew, and kept until then. Nil keeps every rendition.
    package var recipe: Int?
    /// User for whom it is; nil for none in particular.
    package var user: User.ID?

    package init(_ key: RenditionKey, size: Int64, _ priority: Priority) {
        self.key = key
        self.size = size
        self.priority = priority
    }

    /// A copy of the order for this user.
    package func with(user: User.ID?) -> PreviewOrder {
        var order = self
        order.user = user
        return order
    }
}
