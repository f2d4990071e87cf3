package import FundCore

/// What a mailbox source needs from this side.
package struct MailboxSurroundings: Sendable {
    package var spool: SpoolDirectory
    package var ledger: any DeliveryLedger
    package var cancellation: Cancellation
    package var onNotice: @Sendable (MailboxNotice) -> Void

    package init(
        spool: SpoolDirectory, ledger: any DeliveryLedger, cancellation: Cancellation = Cancellation(),
        onNotice: @escaping @Sendable (MailboxNotice) -> Void = { _ in }
    ) {
        self.spool = spool
        self.ledger = ledger
        self.cancellation = cancellation
        self.onNotice = onNotice
    }
}
