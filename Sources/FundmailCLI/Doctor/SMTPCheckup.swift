internal import MailConnection
import FundCore
import MailSend
import MailWatch
import Synchronization
import Terminal

/// Looks at the server for letters: its files, the login, and whether it takes the sender. Sends nothing unless it is
/// asked to.
struct SMTPCheckup: Sendable {
    /// For connecting, the login and a few replies.
    static let serverLimit = Duration.seconds(90)
    /// For the reply to a letter: a person waits.
    private static let acceptance = Duration.seconds(120)

    private static let loginWanted = 530

    let smtp: SMTPConfiguration
    private let limit: Duration
    private let now = Timestamp.now
    private var findings = DoctorFindings()

    private init(_ smtp: SMTPConfiguration, _ limit: Duration) { (self.smtp, self.limit) = (smtp, limit) }

    /// - Parameters:
    ///   - recipient: gets a letter when the server takes the sender; nil sends none.
    ///   - limit: time for connecting, the login and a few replies.
    static func run(
        _ smtp: SMTPConfiguration, isOffline: Bool, sendingTo recipient: OutgoingAddress?,
        within limit: Duration = serverLimit
    ) async -> DoctorFindings {
        var checkup = Self(smtp, limit)
        let credential = smtp.login?.credential
        for result in CredentialCheckup.files(credential, caFile: smtp.caFile, isOffline: isOffline) {
            checkup.add(result)
        }
        if !isOffline, checkup.findings.status == nil { await checkup.checkServer(recipient) }
        return checkup.findings
    }

    private mutating func ok(_ text: String) { findings.ok(.smtp, text) }

    private mutating func add(_ result: CredentialCheckup.Result) {
        switch result {
        case .ok(let text): ok(text)
        case .warning(let text): findings.warn(.smtp, text)
        case .failure(let failure): findings.fail(.smtp, failure)
        }
    }

    /// The answers of the server on one connection.
    private struct Answers: Sendable {
        var certificateExpiry: Timestamp?
        var maxMessageBytes: Int?
        var sender: SMTPReply
        /// The reply to an empty return path; nil when it was not asked for.
        var emptySender: SMTPReply?
        var letter: SendOutcome?
    }

    private mutating func checkServer(_ recipient: OutgoingAddress?) async {
        let seenToken = Mutex<SeenToken?>(nil)
        let answers: Answers
        do {
            var access = try smtp.access(
                cancellation: Cancellation(), onToken: { token in seenToken.withLock { $0 = token } })
            access.deadlines.acceptance = min(Self.acceptance, limit * 2)
            let letter = try recipient.map { try MessageWriter.data(of: Self.letter(from: smtp.from, to: $0)) }
            answers = try await ask(access, letter, to: recipient)
        } catch {
            // It may say why.
            if let token = seenToken.withLock({ $0 }) { checkToken(token) }
            return findings.fail(.smtp, CommandError(error, at: smtp))
        }
        let server = smtp.address.server
        ok(smtp.login.map { "\(server) lets \($0.user) in" } ?? "\(server) takes letters without a login")
        if let expiry = answers.certificateExpiry {
            add(CredentialCheckup.certificate(expiry, now: now, loss: "no letter goes out"))
        }
        if let token = seenToken.withLock({ $0 }) { checkToken(token) }
        if let bytes = answers.maxMessageBytes {
            ok("it takes letters of up to \(Quantity.display(bytes: Int64(bytes)))")
        }
        report(sender: answers.sender)
        if let reply = answers.emptySender { report(emptySender: reply) }
        if let recipient, let outcome = answers.letter { report(outcome, to: recipient) }
    }

    private mutating func checkToken(_ token: SeenToken) {
        guard let credential = smtp.login?.credential else { return }
        add(CredentialCheckup.token(token, credential, now: now))
    }

    private func ask(
        _ access: SMTPAccess, _ letter: MessageData?, to recipient: OutgoingAddress?
    ) async throws(ConnectionError) -> Answers {
        let sender = smtp.from.address
        return try await access.withConnection(limit: limit) { connection throws(ConnectionError) in
            var answers = Answers(
                certificateExpiry: connection.certificateExpiry, maxMessageBytes: connection.maxMessageBytes,
                sender: try connection.check(sender: sender))
            if answers.sender.isDone, connection.isUsable { answers.emptySender = try connection.check(sender: nil) }
            if let letter, let recipient, answers.emptySender?.isDone == true, connection.isUsable {
                answers.letter = try connection.send(letter, from: sender, to: recipient)
            }
            return answers
        }
    }

    private mutating func report(sender reply: SMTPReply) {
        let address = smtp.from.address
        if reply.isDone { return ok("it takes letters from \(address)") }
        if reply.isTransient {
            return findings.warn(
                .smtp, "it does not take letters from \(address) now (\(Self.words(reply))); try again")
        }
        // RFC 4954 §6, RFC 3207 §4: it wants a login, or encryption before one.
        let next =
            reply.code == Self.loginWanted
            ? "it wants a login: add user and password_file"
            : "name as from an address that \(smtp.login?.user ?? "this machine") may send from"
        findings.fail(
            .smtp,
            CommandError(.unavailable, "it does not take letters from \(address) (\(Self.words(reply))); \(next)"))
    }

    /// Receipts go out with an empty return path, so that no automatic answer comes back (RFC 3834 §3.3).
    private mutating func report(emptySender reply: SMTPReply) {
        guard !reply.isDone else { return }
        let words = "an empty return path (MAIL FROM:<>), as receipts have (\(Self.words(reply)))"
        if reply.isTransient { return findings.warn(.smtp, "it does not take \(words) now; try again") }
        findings.fail(
            .smtp,
            CommandError(.unavailable, "it refuses \(words); have it allowed there (RFC 5321 §4.5.5)"))
    }

    private mutating func report(_ outcome: SendOutcome, to recipient: OutgoingAddress) {
        switch outcome {
        case .sent(let reply): ok("a letter to \(recipient) is on its way (\(Self.words(reply)))")
        case .deferred(let reply):
            findings.fail(
                .smtp,
                CommandError(
                    .temporary, "it does not take a letter to \(recipient) now (\(Self.words(reply))); try again later")
            )
        case .senderRefused(let reply, _): report(sender: reply)
        case .failed(let reply):
            findings.fail(
                .smtp,
                CommandError(
                    .unavailable,
                    "it refuses a letter to \(recipient) (\(Self.words(reply))); check the address, and whether "
                        + "\(smtp.login?.user ?? "this machine") may send to others"))
        case .uncertain(let cause):
            findings.warn(
                .smtp,
                "the whole letter to \(recipient) went out, and no answer came (\(cause)): see whether it arrives")
        }
    }

    /// A reply of the server for a terminal.
    private static func words(_ reply: SMTPReply) -> String { TerminalText.clean("\(reply)") }

    private static func letter(from sender: Correspondent, to recipient: OutgoingAddress) -> OutgoingMessage {
        var letter = OutgoingMessage(
            from: sender, to: [Correspondent(address: recipient)], subject: "Letters from Fundmail arrive",
            text: """
                This letter was sent to see whether letters from Fundmail arrive. There is nothing to do.

                Fundmail 的信件可以送达。此信仅用于测试，无需任何操作。

                """)
        letter.origin = .generated
        return letter
    }
}
