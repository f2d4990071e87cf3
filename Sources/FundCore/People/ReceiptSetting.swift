/// A user's wish about receipts: a choice of their own, or that of the mailbox to which they write.
package enum ReceiptSetting: Sendable, Hashable {
    case own(ReceiptChoice)
    case ofMailbox

    /// The user's own choice; nil for that of the mailbox.
    package var choice: ReceiptChoice? {
        switch self {
        case .own(let choice): choice
        case .ofMailbox: nil
        }
    }
}
