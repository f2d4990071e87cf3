import FundStore
import Ingest
import Logging
import MailFetch

/// Keeps mailboxes polled: the daemon, or a part of a larger one. Each mailbox has a loop of its own, so that one that hangs
/// does not slow another. Whoever runs it holds the run lock.
struct MailboxWatch: Sendable {
    private static let retentionPeriod = Duration.seconds(86400)

    let parts: PollingParts
    private let mailboxes: [MailboxConfiguration]
    private let store: FundStore

    /// - Parameter store: that of `parts`. There may be no mailboxes: a server runs without them, too.
    init(_ parts: PollingParts, _ mailboxes: [MailboxConfiguration], over store: FundStore) {
        self.parts = parts
        self.mailboxes = mailboxes
        self.store = store
    }

    /// Runs until `parts.cancellation` is cancelled; then what was begun is finished and acknowledged, and it returns. Throws
    /// only when the store is damaged in a way that no waiting mends; then it has cancelled `parts.cancellation`.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for mailbox in mailboxes { group.addTask { try await WatchedMailbox(mailbox, parts).run() } }
            group.addTask { await retain() }
            do {
                while try await group.next() != nil {}
            } catch {
                parts.cancellation.cancel()
                throw error
            }
        }
    }

    /// Removes what is older than the configuration says, once a day.
    private func retain() async {
        repeat {
            do { try await parts.configuration.retention.apply(to: store) } catch {
                Logger(label: "fundmail.retention").error("what is old could not be removed: \(CommandFailure(error))")
            }
        } while await parts.cancellation.pause(for: Self.retentionPeriod)
    }
}
