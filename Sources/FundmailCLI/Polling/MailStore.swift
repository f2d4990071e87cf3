import FundCore

/// The store as polling needs it.
typealias MailStore = IngestStore & DeliveryLedger & MailboxRegister
