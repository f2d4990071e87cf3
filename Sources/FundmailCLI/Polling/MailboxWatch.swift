import MailFetch

/// Keeps mailboxes polled: the daemon, or a part of a larger one. Each mailbox has a loop of its own, so that one that hangs
/// does not slow another. Whoever runs it holds the run lock.
struct MailboxWatch: Sendable {
    let parts: PollingParts
    private let mailboxes: [MailboxConfiguration]

    init(_ parts: PollingParts, _ mailboxes: [MailboxConfiguration]) {
        self.parts = parts
        self.mailboxes = mailboxes
    }

    /// Runs until `parts.cancellation` is cancelled; then what was begun is finished and acknowledged, and it returns. Throws
    /// only when the store is damaged in a way that no waiting mends; then it has cancelled `parts.cancellation`.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for mailbox in mailboxes { group.addTask { try await WatchedMailbox(mailbox, parts).run() } }
            do {
                while try await group.next() != nil {}
            } catch {
                parts.cancellation.cancel()
                throw error
            }
        }
    }
}
