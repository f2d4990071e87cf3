/// What polling needs of the store: the state of each polled mailbox.
package protocol MailboxRegister: Sendable {
    /// To be called before a run. If `address` differs from that of the run before, all deliveries of the mailbox count
    /// as departed, since places at one server mean nothing at another. True when it differs.
    @discardableResult
    func openMailbox(_ name: String, at address: String) async throws -> Bool
    /// Adds a run to the counters.
    func note(_ run: MailboxRun, of mailbox: String) async throws
    /// By name; mailboxes that are no longer configured included.
    func mailboxStates() async throws -> [MailboxState]
}
