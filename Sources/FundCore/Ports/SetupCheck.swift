/// Checks configuration, store, disk, parser and mailboxes.
package protocol SetupCheck: Sendable {
    /// In the order in which they are read: the configuration first, the mailboxes last. Takes up to minutes when mail
    /// servers are asked.
    ///
    /// - Parameter asksServers: logs in to every mailbox; changes nothing there.
    func findings(asksServers: Bool) async -> [Finding]
}
