/// A registered person.
package struct User: Sendable, Hashable {
    package typealias ID = FundCore.ID<User>
    package var id: ID
    /// The address that names the user in commands and reports.
    package var email: String
    package var name: String?
    package var isDisabled: Bool
    package var isAdministrator: Bool
    /// Their own choice of receipts; nil for that of the mailbox.
    package var receipts: ReceiptChoice?
    package var news = NewsPace.off
    /// Whether they want the digest of the desk, which administrators alone get.
    package var hasDeskDigest = false
    /// The language of digests; nil for that of what they tell.
    package var language: PersonLanguage?

    package init(id: ID, email: String, name: String? = nil, isDisabled: Bool = false, isAdministrator: Bool = false) {
        self.id = id
        self.email = email
        self.name = name
        self.isDisabled = isDisabled
        self.isAdministrator = isAdministrator
    }
}
