/// A user as administrators see them.
package struct UserRecord: Sendable, Hashable {
    package var user: User
    /// All registered addresses, the naming one first.
    package var addresses: [String]
    /// The addresses from which mail is answered although nothing proves the sender, see `ReceiptPolicy`.
    package var answeredAddresses: [String] = []
    /// Number of funds, archived ones not counted.
    package var fundCount: Int
    /// The choice of how much they may have.
    package var quota = StorageQuota.standard
    /// Bytes that count for them, see `StorageUse`.
    package var usedBytes: Int64 = 0

    package init(user: User, addresses: [String], fundCount: Int) {
        self.user = user
        self.addresses = addresses
        self.fundCount = fundCount
    }
}
