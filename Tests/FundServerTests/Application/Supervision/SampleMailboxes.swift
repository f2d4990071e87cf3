import FundCore
import FundStore
import Synchronization
import TestSupport

/// Mailboxes whose runs come to what a test says.
struct SampleMailboxes: MailboxPolling {
    var mailboxes = ["funds"]
    var start = PollStart.begun
    /// Noted soon after a run was asked for; nil when it does not end.
    var run: MailboxRun? = MailboxRun(startedAt: 1_700_000_000)
    var certificates: [String: SeenCertificate] = [:]
    var tokens: [String: SeenToken] = [:]
    private let store: FundStore

    init(in store: FundStore) { self.store = store }

    func pollNow(_ mailbox: String) -> PollStart? {
        guard mailboxes.contains(mailbox) else { return nil }
        if let run { Task { [store] in try await store.mail.note(run, of: mailbox) } }
        return start
    }
}

/// A check that finds what a test says, and counts how often mail servers are asked.
final class SampleCheck: SetupCheck {
    private let findings: [Finding]
    /// Ends a check that asks mail servers; nil ends it at once.
    private let isOver: (@Sendable () async -> Bool)?
    private let asked = Mutex(0)

    init(_ findings: [Finding] = [], until isOver: (@Sendable () async -> Bool)? = nil) {
        self.findings = findings
        self.isOver = isOver
    }

    var askedCount: Int { asked.withLock { $0 } }

    func findings(asksServers: Bool) async -> [Finding] {
        guard asksServers else { return findings }
        asked.withLock { $0 += 1 }
        if let isOver { try? await eventually(isOver) }
        return findings
    }
}
