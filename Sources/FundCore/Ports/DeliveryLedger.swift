/// A message of a mailbox that was stored before.
package struct DeliveredPlace: Sendable, Hashable {
    /// `SourceReference.place` of the delivery.
    package var place: String
    /// Its size in bytes as the server announced it then; nil when it announced none.
    package var announcedBytes: Int64?
    /// Only its header was fetched, since it exceeded the size limit of that time.
    package var isRefusedUnseen: Bool
    /// It is in a fund now. False: it is kept as misrouted or rejected, or an administrator rejected it.
    package var isFiled: Bool
    /// See `SourceReference`.
    package var hasSizeMismatch: Bool

    package init(
        place: String, announcedBytes: Int64? = nil, isRefusedUnseen: Bool = false, isFiled: Bool = true,
        hasSizeMismatch: Bool = false
    ) {
        self.place = place
        self.announcedBytes = announcedBytes
        self.isRefusedUnseen = isRefusedUnseen
        self.isFiled = isFiled
        self.hasSizeMismatch = hasSizeMismatch
    }
}

/// Which messages of a mailbox were delivered before, so that what stays on the server is not fetched again.
package protocol DeliveryLedger: Sendable {
    /// Every durable delivery from `mailbox` that has not departed, in any order; of each place the latest. One query
    /// for the whole mailbox: 100,000 deliveries are usual. Blocks.
    func deliveredPlaces(in mailbox: String) throws -> [DeliveredPlace]
    /// Notes that these places are empty on the server: a message that appears there later is another one. Blocks.
    func noteDeparted(_ places: [String], in mailbox: String) throws
}

/// What polling needs of the store: the state of each polled mailbox.
package protocol MailboxRegister: Sendable {
    /// Gives the mailbox to one run, until the lease or its process ends. Throws `held`, naming who has it.
    ///
    /// - Parameter holder: the command, for whom it is refused to.
    func lease(_ name: String, to holder: String) async throws -> any MailboxLease
    /// To be called before a run. If `address` differs from that of the run before, all deliveries of the mailbox count
    /// as departed, since places at one server mean nothing at another. True when it differs.
    @discardableResult
    func openMailbox(_ name: String, at address: String) async throws -> Bool
    /// Adds a run to the counters.
    func note(_ run: MailboxRun, of mailbox: String) async throws
    /// By name; mailboxes that are no longer configured included.
    func mailboxStates() async throws -> [MailboxState]
}

/// That a mailbox belongs to a run.
package protocol MailboxLease: Sendable {
    /// Lets the next run have it; harmless the second time.
    func end()
}
