/// The state of a mailbox as people are told it: a program that runs does not mean that mail comes.
package enum MailboxHealth: Sendable, Hashable {
    case working, failing, neverPolled, notConfigured
    /// Mail has waited on the server for longer than `maxLag`.
    case behind(since: Timestamp)
    /// No run was tried for longer than `maxSilence`.
    case unknown

    /// Time for which mail may wait on its server before the mailbox counts as behind.
    private static let maxLag = Duration.seconds(600)
    /// Time without a visit after which it is not known how a mailbox fares.
    private static let maxSilence = Duration.seconds(86_400)

    package init(_ report: MailboxReport, now: Timestamp) {
        switch report.condition {
        case .failing: self = .failing
        case .neverPolled: self = .neverPolled
        case .notConfigured: self = .notConfigured
        case .ok:
            let (state, silence) = (report.state, report.state.lastAttemptAt.map { now - $0 } ?? .zero)
            if silence > Self.maxSilence {
                self = .unknown
            } else if state.waiting > 0, let oldest = state.oldestWaitingAt, now - oldest > Self.maxLag {
                self = .behind(since: oldest)
            } else {
                self = .working
            }
        }
    }
}
