import FundStore
import Ingest
import Logging
import MailFetch

/// Keeps mailboxes polled: the daemon, or a part of a larger one. Each mailbox has a loop of its own, so that one that hangs
/// does not slow another. Whoever runs it holds the run lock.
struct MailboxWatch: Sendable {
    private static let retentionPeriod = Duration.seconds(86400)

    let parts: PollingParts
    let mailboxes: [MailboxConfiguration]
    /// Removes raw messages that are older than the configuration says, once a day.
    var applyRetention: (@Sendable () async throws -> Void)?

    /// Runs until `parts.cancellation` is cancelled; then what was begun is finished and acknowledged, and it returns. Throws
    /// only when the store is damaged in a way that no waiting mends; then it has cancelled `parts.cancellation`.
    func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for mailbox in mailboxes { group.addTask { try await WatchedMailbox(mailbox, parts).run() } }
            if let applyRetention { group.addTask { await retain(applyRetention) } }
            do {
                while try await group.next() != nil {}
            } catch {
                parts.cancellation.cancel()
                throw error
            }
        }
    }

    private func retain(_ apply: @Sendable () async throws -> Void) async {
        repeat {
            do { try await apply() } catch {
                Logger(label: "fundmail.retention").error(
                    "old raw messages could not be removed: \(CommandFailure(error))")
            }
        } while await parts.cancellation.pause(for: Self.retentionPeriod)
    }
}
