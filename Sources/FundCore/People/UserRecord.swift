/// A user as administrators see them.
package struct UserRecord: Sendable, Hashable {
    package var user: User
    /// All registered addresses, the naming one first.
    package var addresses: [String]
    /// The addresses from which mail is answered although nothing proves the sender, see `ReceiptPolicy`.
    package var answeredAddresses: [String] = []
    /// Number of funds, archived ones not counted.
    package var fundCount: Int

    package init(user: User, addresses: [String], fundCount: Int) {
        self.user = user
        self.addresses = addresses
        self.fundCount = fundCount
    }
}
