/// A change to a user by an administrator; nil leaves a field.
package struct UserChange: Sendable, Hashable {
    /// For display. An empty one takes the name away.
    package var name: String?
    package var isAdministrator: Bool?
    package var isDisabled: Bool?
    package var addedAddress: String?
    package var removedAddress: String?
    package var receipts: ReceiptSetting?
    package var digests: DigestChange?
    /// An address of theirs from which mail is answered although nothing proves the sender, see `ReceiptPolicy`.
    package var answeredAddress: String?
    /// An address of theirs from which it is not, or not any more.
    package var unansweredAddress: String?
    package var quota: StorageQuota?

    package init(
        name: String? = nil, isAdministrator: Bool? = nil, isDisabled: Bool? = nil, addedAddress: String? = nil,
        removedAddress: String? = nil, receipts: ReceiptSetting? = nil, digests: DigestChange? = nil,
        answeredAddress: String? = nil, unansweredAddress: String? = nil,
        quota: StorageQuota? = nil
    ) {
        self.name = name
        self.isAdministrator = isAdministrator
        self.isDisabled = isDisabled
        self.addedAddress = addedAddress
        self.removedAddress = removedAddress
        self.receipts = receipts
        self.digests = digests
        self.answeredAddress = answeredAddress
        self.unansweredAddress = unansweredAddress
        self.quota = quota
    }
}
