/// A request for a letter that tells the sender of a message what became of it. Its address is proved, see
/// `ReceiptPolicy`.
package struct ReceiptRequest: Sendable, Hashable {
    package var recipient: EmailAddress
    package var choice: ReceiptChoice

    package init(recipient: EmailAddress, choice: ReceiptChoice) {
        (self.recipient, self.choice) = (recipient, choice)
    }
}
