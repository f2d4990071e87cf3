/// The part of the store that polling needs: the state of each polled mailbox.
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
