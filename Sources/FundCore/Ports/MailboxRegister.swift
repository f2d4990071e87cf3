/// The part of the store that remembers how each mailbox is doing.
package protocol MailboxRegister: Sendable {
    /// To be called before a run. When the mailbox stands at another `address` than before, everything that was delivered from it
    /// counts as departed: places of one server say nothing about another's. True when it did.
    @discardableResult
    func openMailbox(_ name: String, at address: String) async throws -> Bool
    /// Adds a run to the counters.
    func note(_ run: MailboxRun, of mailbox: String) async throws
    /// By name; mailboxes that are no longer configured included.
    func mailboxStates() async throws -> [MailboxState]
}
