package import MailConnection
internal import Dispatch
internal import FundCore

/// Looks at a mailbox as a run would, and changes nothing there: EXAMINE instead of SELECT, no DELE, no flag.
package struct MailboxProbe: Sendable {
    private var access: MailboxAccess

    package init(_ access: MailboxAccess) {
        self.access = access
        // A person waits for the result.
        self.access.deadlines.connection.loginResponse = .seconds(20)
        self.access.deadlines.connection.login = .seconds(45)
        self.access.deadlines.stall = .seconds(20)
        self.access.deadlines.response = .seconds(20)
        self.access.deadlines.farewell = .seconds(3)
    }

    /// Throws what a run would fail with. Takes `limit` at most.
    package func run(limit: Duration = .seconds(60)) async throws(ConnectionError) -> MailboxFindings {
        let queue = DispatchQueue(label: "fundmail.probe.\(access.name)")
        let cancellation = Cancellation()
        let result = await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit.milliseconds)) {
                cancellation.cancel()
            }
            queue.async { continuation.resume(returning: look(cancellation)) }
        }
        do {
            return try result.get()
        } catch {
            guard error.code == .cancelled else { throw error }
            throw ConnectionError(.timedOut, during: error.operation, "the server takes too long")
        }
    }

    private func look(_ cancellation: Cancellation) -> Result<MailboxFindings, ConnectionError> {
        var login = access.login(cancellation)
        login.keepsCertificate = true
        do {
            let channel = try login.open()
            let expiry = channel.certificateExpiry
            let kind: any MailSession.Type = access.address.scheme.isIMAP ? IMAPSession.self : POP3Session.self
            let session = kind.init(channel: channel, deadlines: access.deadlines, transcript: access.transcript)
            var findings = try session.findings(access)
            findings.certificateExpiresAt = expiry
            return .success(findings)
        } catch {
            return .failure(error)
        }
    }
}
