internal import FundCore
package import MailConnection
internal import Dispatch

/// The server for letters and the login there.
package struct SMTPAccess: Sendable {
    package var address: SubmissionAddress
    /// Nil: the server takes letters without a login.
    package var identity: LoginIdentity?
    package var tls: TLSPolicy
    /// The name of this machine in EHLO; nil: what it calls itself.
    package var helloName: String?
    package var deadlines = SMTPDeadlines()
    package var transcript: Transcript?

    package init(address: SubmissionAddress, identity: LoginIdentity?, tls: TLSPolicy) {
        self.address = address
        self.identity = identity
        self.tls = tls
    }

    /// Connects, encrypts and logs in. Blocks.
    package func connect(_ cancellation: Cancellation) throws(ConnectionError) -> SMTPConnection {
        let endpoint = LoginEndpoint(
            scheme: address.scheme.rawValue, isImplicitTLS: address.scheme.isImplicitTLS, server: address.server,
            path: helloName ?? "")
        var login = CurlLogin(
            endpoint: endpoint, dialect: SMTPDialect(), identity: identity, tls: tls, deadlines: deadlines.connection,
            cancellation: cancellation, transcript: transcript)
        login.keepsCertificate = true
        do {
            let channel = try login.open()
            return SMTPConnection(
                channel: channel, deadlines: deadlines, transcript: transcript,
                certificateExpiry: channel.certificateExpiry)
        } catch {
            throw Self.explained(error)
        }
    }

    /// The error with what SMTP makes of it: a server that greets with a refusal wants no mail from this machine (RFC
    /// 5321 §3.1), and one that offers no login that this program knows has refused none.
    private static func explained(_ error: ConnectionError) -> ConnectionError {
        var error = error
        if error.code == .protocolViolation, error.detail.hasPrefix("5") { error.code = .clientRefused }
        if error.code == .loginRefused, error.detail.hasPrefix("250") {
            (error.code, error.detail) = (.unsupported, "it offers no way to log in that this program knows")
        }
        // QUIRK: to a wrong token servers reply with a challenge that holds the reason (RFC 7628 §3.2.3), and libcurl
        // gives up there.
        if error.code == .loginRefused, error.detail.hasPrefix("+ ") { error.detail = "the token is not accepted" }
        return error
    }

    /// Runs `body` with a connection, on a thread of its own, and logs out. What takes longer than `limit` ends with
    /// `timedOut`, but for the wait for the reply to a letter (`SMTPDeadlines.acceptance`).
    package func withConnection<Value: Sendable>(
        limit: Duration, _ body: @escaping @Sendable (SMTPConnection) throws(ConnectionError) -> Value
    ) async throws(ConnectionError) -> Value {
        let cancellation = Cancellation()
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(limit.milliseconds)) {
            cancellation.cancel()
        }
        let result = await DispatchQueue.runAlone("fundmail.smtp") { run(cancellation, body) }
        do {
            return try result.get()
        } catch {
            guard error.code == .cancelled else { throw error }
            throw ConnectionError(.timedOut, during: error.operation, "the server takes too long")
        }
    }

    private func run<Value>(
        _ cancellation: Cancellation, _ body: (SMTPConnection) throws(ConnectionError) -> Value
    ) -> Result<Value, ConnectionError> {
        do {
            let connection = try connect(cancellation)
            let value = try body(connection)
            connection.quit()
            return .success(value)
        } catch {
            return .failure(error)
        }
    }
}
