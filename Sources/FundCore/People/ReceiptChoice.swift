/// The events of which a letter tells the sender of mail. The raw values stand in the configuration and the database.
package enum ReceiptChoice: String, Sendable, Hashable, CaseIterable {
    case off
    /// Mail that was filed.
    case filed
    /// Mail that was kept, and kept mail that was filed later.
    case problems
    case all
}
